/**
 * Requests and their answers: each request is sent under a number of its own, and is under way until the message with
 * that number comes. The queue also asks for what the view wants to know, and not twice in vain.
 */
import { ANSWERS, Malformed, readMessage } from '../protocol';
import type { Message, Request, Unnumbered } from '../protocol';
import type { Port } from './port';

/** The requests that move the run. */
export const MOVES: readonly Request['type'][] = [
  'step',
  'step_back',
  'continue',
  'run_to',
  'seek',
  'restart',
  'stage',
  'step_in',
  'step_out',
  'run_to_leaf'
];

/**
 * Their answers bring the view to where the session is: one of them at a time. While the run moves they are
 * answered between two of its steps.
 */
export const READS: readonly Request['type'][] = ['attach', 'look', 'since'];

/** How long the oldest unanswered request has waited. */
export type Patience = 'answered' | 'waiting' | 'slow' | 'silent';

/** After this long the user wonders; after that long something is probably wrong. */
export const SLOW_MS = 1500;
export const SILENT_MS = 10_000;

/** Something that the view wants to know. */
export interface Want {
  readonly request: Unnumbered;
  /** What has to be another before it is worth to ask again, if an answer did not help. */
  readonly about?: string;
}

/** A message that arrived, with the request that it answers. */
export interface Received {
  /** An error: the message cannot be read. */
  readonly message: Message | Malformed;
  /** Undefined: nobody asked, or the request was forgotten meanwhile. */
  readonly question: Unnumbered | undefined;
  /** Whether a message of this type may answer the request. */
  readonly fits: boolean;
}

interface Sent {
  readonly request: Unnumbered;
  /** What the request is about, if it was a `Want`. */
  readonly about: string | undefined;
  /** When it was sent, or the kernel was last heard to be at work on it. */
  at: number;
}

export class RequestQueue {
  private readonly sent = new Map<number, Sent>();
  private timer: ReturnType<typeof setTimeout> | undefined;
  /** Two displays of one widget share its comm, and hear each other's answers: numbers differ. */
  private readonly first = Math.floor(Math.random() * 2 ** 20) * 2 ** 20;
  private last = this.first;
  /** By type: the want that was answered last. */
  private readonly answered = new Map<Request['type'], string>();

  /**
   * `changed` is called whenever the patience may have changed, `failed` with the error of a port that did not take
   * a request.
   */
  constructor(
    private readonly port: Port,
    private readonly changed: () => void,
    private readonly failed: (error: unknown) => void
  ) {}

  // --- sending ---

  /** Sends a request under the next number, which is never 0: that marks an event. */
  send(request: Unnumbered, about?: string): void {
    this.last += 1;
    const number = this.last;
    this.sent.set(number, { request, about, at: Date.now() });
    this.watch();
    try {
      this.port.send({ ...request, request: number });
    } catch (error) {
      this.sent.delete(number); // Nothing follows for those before it.
      this.watch();
      this.failed(error);
    }
  }

  /** Asks for what is wanted and not under way already. */
  ask(wants: readonly Want[]): void {
    for (const { request, about = '' } of wants) {
      if (!this.isAsked(request) && this.answered.get(request.type) !== keyOf(request, about)) {
        this.send(request, about);
      }
    }
  }

  /** What was asked may never be answered: it is asked again. */
  forget(): void {
    this.sent.clear();
    this.watch();
    this.answered.clear();
  }

  /** Forgets what was answered, of one type or of all: who wants it asks again. */
  forgetAnswers(type?: Request['type']): void {
    if (type === undefined) {
      this.answered.clear();
    } else {
      this.answered.delete(type);
    }
  }

  // --- receiving ---

  /** Reads a message and finds the request that it answers; null: it answers another display of this widget. */
  receive(value: unknown): Received | null {
    let message: Message;
    try {
      message = readMessage(value);
    } catch (error) {
      if (!(error instanceof Malformed)) {
        throw error;
      }
      return { message: error, question: this.settle(numberOf(value)), fits: false };
    }
    const number = 'request' in message ? message.request : 0;
    if (number !== 0 && !(number > this.first && number <= this.last)) {
      return null;
    }
    const question = this.settle(number);
    return { message, question, fits: answers(message, question) };
  }

  /** The kernel is at work, and says so: nobody waits in vain. */
  heard(): void {
    for (const sent of this.sent.values()) {
      sent.at = Date.now();
    }
    this.watch();
  }

  // --- what is under way ---

  has(...types: Request['type'][]): boolean {
    return this.underWay.some(({ type }) => types.includes(type));
  }

  get patience(): Patience {
    const waited = Date.now() - this.oldest();
    if (this.sent.size === 0) {
      return 'answered';
    }
    return waited >= SILENT_MS ? 'silent' : waited >= SLOW_MS ? 'slow' : 'waiting';
  }

  private get underWay(): readonly Unnumbered[] {
    return Array.from(this.sent.values(), ({ request }) => request);
  }

  private isAsked(request: Unnumbered): boolean {
    const { type } = request;
    if (type === 'attach') {
      // Another session than the one that was asked for may be wanted meanwhile.
      return this.underWay.some(sent => JSON.stringify(sent) === JSON.stringify(request));
    }
    return this.has(...(READS.includes(type) ? READS : [type]));
  }

  /**
   * The answer came; returns what was asked, or undefined if nobody asked (or `forget` forgot it). Answers
   * come in the order of the requests: those to earlier ones, if still open, were lost. But the
   * first may be overtaken, while Jupyter still starts a thread for the comm; it is a large one. So may a move
   * by those who look meanwhile.
   */
  private settle(number: number): Unnumbered | undefined {
    const sent = this.sent.get(number);
    const type = sent?.request.type;
    if (type === 'pause') {
      this.sent.delete(number); // It is answered at once: what was asked before may still be.
    } else if (type !== undefined) {
      const overtakes = READS.includes(type) ? MOVES : [];
      for (const [each, { request: earlier }] of this.sent) {
        const isLost = earlier.type !== 'attach' && !overtakes.includes(earlier.type);
        if (each === number || (each < number && isLost)) {
          this.sent.delete(each);
        }
      }
    }
    this.watch();
    if (sent?.about !== undefined && type !== undefined && type !== 'attach') {
      this.answered.set(type, keyOf(sent.request, sent.about));
    }
    return sent?.request;
  }

  private oldest(): number {
    let oldest = Infinity;
    for (const { at } of this.sent.values()) {
      oldest = Math.min(oldest, at);
    }
    return oldest;
  }

  private watch(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.changed();
    if (this.sent.size === 0) {
      return;
    }
    const waited = Date.now() - this.oldest();
    const next = waited < SLOW_MS ? SLOW_MS : SILENT_MS;
    if (waited < SILENT_MS) {
      this.timer = setTimeout(() => this.watch(), next - waited + 1);
    }
  }
}

function keyOf(request: Unnumbered, about: string): string {
  return `${JSON.stringify(request)} ${about}`;
}

/** Does the message have a type that answers this request, or is it nobody's answer? */
function answers({ type }: Message, question: Unnumbered | undefined): boolean {
  const expected: readonly Message['type'][] = question ? ANSWERS[question.type] : [type];
  return type === 'failed' || expected.includes(type);
}

/** The number of the request, of a message that cannot be read; 0: of none. */
function numberOf(message: unknown): number {
  const request =
    typeof message === 'object' && message !== null
      ? (message as { request?: unknown }).request
      : undefined;
  return typeof request === 'number' ? request : 0;
}
