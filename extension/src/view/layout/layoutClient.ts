/** Lays graphs out in a worker, under a deadline, with the simple layout to fall back on. */
import { writeDot } from './dot';
import { readGraphviz } from './graphvizJson';
import { layered } from './layered';
import type { Layout, LayoutInput } from './types';
import type { LayoutAnswer, LayoutQuestion } from './worker';

/** The part of `Worker` that is needed; tests give their own. */
export interface LayoutWorker {
  postMessage(message: LayoutQuestion): void;
  terminate(): void;
  onmessage: ((event: MessageEvent<LayoutAnswer>) => void) | null;
  onerror: ((event: ErrorEvent) => void) | null;
}

/** Null where workers cannot be had (no `Worker`, or a page that forbids them). */
export type WorkerFactory = () => LayoutWorker | null;

export const DEADLINE_MS = 3000;
/** Loading 800 KB of WebAssembly on a busy machine is not the graph's fault. */
const START_MS = 5000;

export interface Result {
  readonly layout: Layout;
  /** Why the simple layout was used; empty when Graphviz did it. */
  readonly reason: string;
}

export class LayoutClient {
  private worker: LayoutWorker | null = null;
  private ready = false;
  private broken = '';
  private last = 0;
  private cancel: (() => void) | null = null;

  constructor(
    private readonly factory: WorkerFactory,
    private readonly deadline = DEADLINE_MS
  ) {
    this.start();
  }

  /**
   * Lay `input` out and call `done`, once, unless another call or `dispose` comes first. `done` is
   * called within the deadlines whatever the worker does.
   */
  layout(input: LayoutInput, done: (result: Result) => void): void {
    this.abandon();
    if (input.items.length === 0) {
      done({ layout: layered(input), reason: '' });
      return;
    }
    // A page that forbids workers or WebAssembly once will do so again.
    const worker = this.worker ?? (this.broken ? null : this.start());
    if (!worker) {
      done({ layout: layered(input), reason: this.broken });
      return;
    }
    const id = ++this.last;
    let timer: ReturnType<typeof setTimeout>;
    const stop = (): void => {
      clearTimeout(timer);
      this.cancel = null;
    };
    const giveUp = (reason: string): void => {
      stop();
      this.drop();
      done({ layout: layered(input), reason });
    };
    const wait = (): void => {
      clearTimeout(timer);
      timer = setTimeout(
        () => giveUp(`Graphviz took longer than ${this.deadline / 1000} s`),
        this.deadline
      );
    };
    this.cancel = () => {
      stop();
      this.drop(); // It is still busy with a graph nobody wants to see any more.
    };
    worker.onmessage = ({ data }) => {
      if (data.id === 0 && data.error === undefined) {
        this.ready = true;
        wait();
      } else if (data.error !== undefined) {
        giveUp(data.error.includes('stack') ? 'the graph is too deep for Graphviz' : data.error);
      } else if (data.id === id) {
        let layout: Layout;
        try {
          layout = readGraphviz(data.json ?? '', input);
        } catch (error) {
          giveUp(String(error));
          return;
        }
        stop();
        worker.onmessage = null;
        done({ layout, reason: '' });
      }
    };
    worker.onerror = () => giveUp('the layout worker failed');
    if (this.ready) {
      wait();
    } else {
      timer = setTimeout(() => giveUp('Graphviz could not be loaded'), START_MS);
    }
    worker.postMessage({ id, dot: writeDot(input) });
  }

  dispose(): void {
    this.abandon();
    this.drop();
  }

  private abandon(): void {
    this.cancel?.();
    this.cancel = null;
  }

  /** Start the worker early: it loads while the first snapshot is on its way. */
  private start(): LayoutWorker | null {
    try {
      this.worker = this.factory();
      this.broken = this.worker ? '' : 'no layout worker here';
    } catch (error) {
      this.worker = null;
      this.broken = error instanceof Error ? error.message : String(error);
    }
    this.ready = false;
    if (this.worker) {
      this.worker.onmessage = ({ data }) => {
        if (data.id === 0 && data.error !== undefined) {
          this.drop();
          this.broken = data.error;
        }
        this.ready ||= data.id === 0 && data.error === undefined;
      };
    }
    return this.worker;
  }

  private drop(): void {
    this.worker?.terminate();
    this.worker = null;
    this.ready = false;
  }
}
