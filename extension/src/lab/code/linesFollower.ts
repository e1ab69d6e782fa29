/** Follows the lines of whichever session of a kernel is moved, over a comm of its own. */
import type { IDisposable } from '@lumino/disposable';
import { Signal } from '@lumino/signaling';
import type { ISignal } from '@lumino/signaling';

import { Malformed, readMessage } from '../../protocol';
import type { Message, Request } from '../../protocol';
import type { PortStatus } from '../../store';
import type { KernelPort } from '../kernelPort';
import { Arrivals } from './arrivals';
import { begin, fold } from './program';
import type { Program } from './program';

type Question = Extract<
  Request,
  {
    type:
      | 'get_value'
      | 'get_line_nodes'
      | 'get_node_line'
      | 'get_source'
      | 'set_line_breakpoint'
      | 'run_to_line';
  }
>;
type Unnumbered = Question extends infer Q
  ? Q extends Question
    ? Omit<Q, 'request'>
    : never
  : never;
/** What each is answered with. */
interface Answer {
  readonly get_value: Extract<Message, { type: 'value_read' }>;
  readonly get_line_nodes: Extract<Message, { type: 'line_nodes' }>;
  readonly get_node_line: Extract<Message, { type: 'node_line' }>;
  readonly get_source: Extract<Message, { type: 'source' }>;
  readonly set_line_breakpoint: Extract<Message, { type: 'done' }>;
  readonly run_to_line: Extract<Message, { type: 'done' }>;
}

/**
 * Milliseconds until the lines of another session are asked for: the view of a session that has just been opened
 * asks first, and the kernel, which reads a large graph for each of both, answers it first.
 */
const BEHIND = 100;

/** How often a session is asked for before it is moved, where the answers are of others. */
const TRIES = 3;

export class LinesFollower implements IDisposable {
  private readonly _changed = new Signal<this, Program | null>(this);
  private readonly asked = new Map<number, (message: Message | null) => void>();
  private readonly ends: (() => void)[];
  private last = 0;
  /** The request for all of it that is under way; 0: none is. */
  private following = 0;
  /** The session that it names. */
  private named: string | null = null;
  /** What was told while it was. */
  private overtaken = 0;
  private state: PortStatus['state'] = 'closed';
  /** The one that was refused last. */
  private refused = 0;
  /** The requests for breakpoints that are under way. */
  private readonly setting = new Set<number>();
  /** Sessions that are not of this kernel's process, such as those of other ranks. */
  private readonly foreign = new Set<string>();
  /** Sessions are met one after the other: who asks for another drops the answer about the first. */
  private meeting: Promise<void> = Promise.resolve();
  private readonly arrivals = new Arrivals();
  private soon: ReturnType<typeof setTimeout> | undefined;
  program: Program | null = null;
  isDisposed = false;

  constructor(private readonly port: KernelPort) {
    this.ends = [
      port.onMessage(message => this.receive(message)),
      port.onStatus(({ state }) => {
        this.state = state;
        if (state === 'open') {
          this.follow();
        } else if (state === 'closed') {
          this.following = this.overtaken = 0;
          this.foreign.clear();
          this.forget();
          this.become(null);
        }
        this.arrivals.tell();
      })
    ];
  }

  get changed(): ISignal<this, Program | null> {
    return this._changed;
  }

  /** Null: there is no answer. `refused` is told why, if the kernel says so. */
  ask<T extends Unnumbered>(
    question: T,
    refused: (why: string) => void = () => undefined
  ): Promise<Answer[T['type']] | null> {
    return new Promise(resolve => {
      this.last += 1;
      const number = this.last;
      if (question.type === 'set_line_breakpoint') {
        this.setting.add(number);
      }
      this.asked.set(number, message => {
        this.setting.delete(number);
        this.arrivals.tell();
        if (message?.type === 'failed') {
          refused(message.message);
        }
        resolve(message?.type === 'failed' ? null : (message as Answer[T['type']] | null));
      });
      this.port.send({ ...question, request: number });
    });
  }

  dispose(): void {
    if (!this.isDisposed) {
      this.isDisposed = true;
      this.ends.forEach(end => end());
      this.state = 'closed';
      this.forget();
      this.port.dispose();
      this.become(null);
      Signal.clearData(this);
    }
  }

  /** Resolves when the session that was opened or moved last, as far as that was told, is the one that is followed. */
  async upToDate(): Promise<void> {
    if (this.soon !== undefined) {
      this.follow();
    }
    while (this.following !== 0 && (await this.arrives())) {
      // until it has come
    }
  }

  /**
   * Called before a view moves a session: its lines are asked for, so that what is kept for it is set there. Resolves when
   * that is done; null: it was.
   */
  ready(session: string): Promise<void> | null {
    if (this.state === 'open' && this.isMet(session)) {
      return null;
    }
    const meet = (): Promise<void> => this.meet(session);
    this.meeting = this.meeting.then(meet, meet);
    return this.meeting;
  }

  private isMet(session: string): boolean {
    const isFollowed = this.program?.session === session && this.setting.size === 0;
    return isFollowed || this.state === 'closed' || this.foreign.has(session);
  }

  private async meet(session: string): Promise<void> {
    this.port.knock(); // it may not be known here yet that the kernel has vizgrad
    for (let tries = 0, asked = 0; !this.isMet(session);) {
      if (this.state === 'open' && this.following === 0 && this.setting.size === 0) {
        if (tries === TRIES || (asked !== 0 && asked === this.refused)) {
          return;
        }
        tries += 1;
        asked = this.follow(session);
      }
      if (!(await this.arrives())) {
        this.following = 0;
        this.setting.clear();
        return;
      }
    }
  }

  /** False: nothing does, of a kernel that could answer. */
  private arrives(): Promise<boolean> {
    return this.arrivals.next(() => this.port.isBusy);
  }

  private waitNoMore(): void {
    clearTimeout(this.soon);
    this.soon = undefined;
  }

  private forget(): void {
    this.waitNoMore();
    const waiting = [...this.asked.values()];
    this.asked.clear();
    waiting.forEach(resolve => resolve(null));
  }

  /** Follows this session, if it is one of the kernel, until another is moved. */
  turnTo(session: string): void {
    this.follow(session);
  }

  private followSoon(): void {
    this.soon ??= setTimeout(() => this.follow(), BEHIND);
  }

  /** The number of the request. */
  private follow(session: string | null = null): number {
    this.waitNoMore();
    this.last += 1;
    this.following = this.last;
    this.named = session;
    this.port.send({ type: 'follow_lines', request: this.following, session });
    return this.following;
  }

  private receive(value: unknown): void {
    let message: Message;
    try {
      message = readMessage(value);
    } catch (error) {
      if (error instanceof Malformed) {
        console.error(`vizgrad: a message about lines cannot be read: ${error.message}`);
        return;
      }
      throw error;
    }
    if (message.type === 'lines_moved') {
      this.moved(message);
    } else if (message.type === 'lines') {
      if (message.request === this.following) {
        this.following = 0;
        const isOld = message.number < this.overtaken;
        this.overtaken = 0;
        if (isOld) {
          this.follow();
        } else {
          this.become(begin(message));
        }
        this.arrivals.tell();
      }
    } else if (message.type === 'failed' && message.request === this.following) {
      this.refused = this.following; // A session of another kernel, or one that is moved just now.
      this.following = 0;
      if (message.closed && this.named !== null) {
        this.foreign.add(this.named);
      }
      if (this.overtaken > 0) {
        this.follow();
      }
      this.arrivals.tell();
    } else if ('request' in message) {
      const resolve = this.asked.get(message.request);
      this.asked.delete(message.request);
      resolve?.(message);
    }
  }

  private moved(message: Extract<Message, { type: 'lines_moved' }>): void {
    this.foreign.delete(message.session);
    if (this.following) {
      this.overtaken = message.number;
      return; // All of it is on its way.
    }
    const folded = fold(this.program, message);
    if (folded === 'anew') {
      this.followSoon();
      return;
    }
    this.become(folded);
    this.last += 1;
    this.port.send({ type: 'lines_seen', request: this.last, number: message.number });
  }

  private become(program: Program | null): void {
    if (program !== this.program) {
      this.program = program;
      this._changed.emit(program);
    }
  }
}
