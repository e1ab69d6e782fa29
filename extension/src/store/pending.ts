/** Requests that have been sent and not yet answered. */
import type { Request, Unnumbered } from '../protocol';
import { MOVES } from './moves';

/**
 * Their answers bring the view to where the session is: one of them at a time. While the run moves they are
 * answered between two of its steps.
 */
export const READS: readonly Request['type'][] = ['attach', 'look', 'since'];

/** How long the oldest unanswered request has waited. */
export type Patience = 'answered' | 'waiting' | 'slow' | 'silent';

/** After this long a person wonders; after that long something is probably wrong. */
export const SLOW_MS = 1500;
export const SILENT_MS = 10_000;

interface Sent {
  readonly request: Unnumbered;
  /** When it was sent, or the kernel was last heard to be at work on it. */
  at: number;
}

export class Pending {
  private readonly sent = new Map<number, Sent>();
  private timer: ReturnType<typeof setTimeout> | undefined;
  /** Two displays of one widget share its comm, and hear each other's answers: numbers differ. */
  private readonly first = Math.floor(Math.random() * 2 ** 20) * 2 ** 20;
  private last = this.first;

  /** `changed` is called whenever the patience may have changed. */
  constructor(private readonly changed: () => void) {}

  /** Register a request and give it its number, which is never 0: that marks an event. */
  add(request: Unnumbered): number {
    this.last += 1;
    this.sent.set(this.last, { request, at: Date.now() });
    this.watch();
    return this.last;
  }

  /**
   * The answer came; what was asked, or undefined if nobody asked (or `clear` forgot it). Answers
   * come in the order of the requests: those to earlier ones, if still open, were lost. But the
   * first may be overtaken, while Jupyter still starts a thread for the comm; it is a large one. So may a move
   * by those who look meanwhile.
   */
  settle(request: number): Unnumbered | undefined {
    const question = this.sent.get(request)?.request;
    if (question?.type === 'pause') {
      this.sent.delete(request); // It is answered at once: what was asked before may still be.
    } else if (question !== undefined) {
      const overtakes = READS.includes(question.type) ? MOVES : [];
      for (const [number, { request: earlier }] of this.sent) {
        const isLost = earlier.type !== 'attach' && !overtakes.includes(earlier.type);
        if (number === request || (number < request && isLost)) {
          this.sent.delete(number);
        }
      }
    }
    this.watch();
    return question;
  }

  /** It was not sent: nothing follows for those before it. */
  drop(request: number): void {
    this.sent.delete(request);
    this.watch();
  }

  /** The kernel is at work, and says so: nobody waits in vain. */
  heard(): void {
    for (const sent of this.sent.values()) {
      sent.at = Date.now();
    }
    this.watch();
  }

  /** Is this the number of a request that was registered here? */
  gave(request: number): boolean {
    return request > this.first && request <= this.last;
  }

  has(...types: Request['type'][]): boolean {
    return this.underWay.some(({ type }) => types.includes(type));
  }

  get underWay(): readonly Unnumbered[] {
    return Array.from(this.sent.values(), ({ request }) => request);
  }

  clear(): void {
    this.sent.clear();
    this.watch();
  }

  get patience(): Patience {
    const waited = Date.now() - this.oldest();
    if (this.sent.size === 0) {
      return 'answered';
    }
    return waited >= SILENT_MS ? 'silent' : waited >= SLOW_MS ? 'slow' : 'waiting';
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
