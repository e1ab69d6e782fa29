/**
 * A port to a trace that a worker has read: the page stays free while a large file is read, and holds no more of it than
 * what is drawn.
 */
import type { Request } from '../protocol';
import type { Port } from '../store';
import type { Progress } from './file';
import { BadFile } from './zip';

export type ToWorker =
  | { readonly kind: 'read'; readonly encoded: string; readonly name: string }
  | { readonly kind: 'asked'; readonly request: unknown };

export type FromWorker =
  | { readonly kind: 'progress'; readonly share: number; readonly text: string }
  | { readonly kind: 'ready' }
  | { readonly kind: 'told'; readonly message: unknown }
  | { readonly kind: 'failed'; readonly said: string; readonly bad: boolean };

/** No worker runs here: the page reads the file itself. */
export class NoWorker extends Error {}

const TOO_LARGE =
  'This trace is too large for this browser. Open it in Python, where vizgrad.load_trace reads traces of any size.';

export class WorkerPort implements Port {
  private readonly listeners = new Set<(message: unknown) => void>();

  private constructor(private readonly worker: Worker) {}

  /**
   * When the file, in base64, is read. Rejects with `BadFile` for one that cannot be, and with `NoWorker` where none was
   * started. `signal` ends the reading, and the promise stays open.
   */
  static open(
    start: () => Worker,
    encoded: string,
    name: string,
    progress: Progress,
    signal?: AbortSignal
  ): Promise<WorkerPort> {
    return new Promise((resolve, reject) => {
      let worker: Worker;
      try {
        worker = start();
      } catch (error) {
        reject(new NoWorker(String(error)));
        return;
      }
      const port = new WorkerPort(worker);
      let heard = false;
      const fail = (error: Error): void => {
        worker.terminate();
        reject(error);
      };
      signal?.addEventListener('abort', () => worker.terminate());
      worker.onerror = event => {
        event.preventDefault();
        // What has begun to read and ended without a word had no memory left.
        fail(heard ? new BadFile(event.message, TOO_LARGE) : new NoWorker(event.message));
      };
      worker.onmessage = ({ data }: MessageEvent<FromWorker>) => {
        heard = true;
        switch (data.kind) {
          case 'progress':
            progress(data.share, data.text);
            break;
          case 'ready':
            resolve(port);
            break;
          case 'failed':
            fail(data.bad ? new BadFile(data.said, data.said) : new Error(data.said));
            break;
          case 'told':
            port.listeners.forEach(listener => listener(data.message));
        }
      };
      worker.postMessage({ kind: 'read', encoded, name } satisfies ToWorker);
    });
  }

  send(request: Request): void {
    this.worker.postMessage({ kind: 'asked', request } satisfies ToWorker);
  }

  onMessage(callback: (message: unknown) => void): () => void {
    this.listeners.add(callback);
    return () => this.listeners.delete(callback);
  }

  dispose(): void {
    this.listeners.clear();
    this.worker.terminate();
  }
}
