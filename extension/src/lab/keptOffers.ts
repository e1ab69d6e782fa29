/**
 * Which backwards a kernel keeps still, asked for the buttons that would open them: a notebook outlives its kernel,
 * and a block forgets its backwards when its cell is run again.
 */
import type { Port, PortStatus } from '../store';

/** How a backward that cannot be opened got lost: with its kernel, or with its block. */
export type Lost = 'restarted' | 'dropped';

export class KeptOffers {
  /** Those whose buttons are on the page, as far as it is known. */
  private readonly offered = new Set<string>();
  private readonly asked = new Map<number, string>();
  private readonly waiting = new Map<string, ((kept: boolean) => void)[]>();
  private state: PortStatus['state'] = 'connecting';
  private requests = 0;

  /** `lost` is called when a backward that was offered turns out to be lost; `knock` looks for a kernel again. */
  constructor(
    private readonly port: Port,
    private readonly lost: (session: string, how: Lost) => void,
    private readonly knock: () => void
  ) {
    port.onMessage(message => this.answered(message));
    port.onStatus?.(({ state }) => this.became(state));
  }

  /** Is it kept? Settled when the kernel has said so, or has ended. */
  ask(session: string): Promise<boolean> {
    this.offered.add(session);
    const known = new Promise<boolean>(resolve => {
      this.waiting.set(session, [...(this.waiting.get(session) ?? []), resolve]);
    });
    if (this.state === 'open') {
      this.send(session);
    } else if (this.state === 'closed') {
      // A kernel that was restarted may have made it just now, in a cell that is not at its end.
      this.knock();
      this.unlessOpening(session);
    }
    return known;
  }

  private unlessOpening(session: string): void {
    if (this.state === 'closed') {
      this.settle(session, 'restarted');
    }
  }

  private send(session: string): void {
    this.requests += 1;
    this.asked.set(this.requests, session);
    this.port.send({ type: 'is_kept', request: this.requests, session });
  }

  private became(state: PortStatus['state']): void {
    this.state = state;
    if (state === 'open') {
      this.offered.forEach(session => this.send(session));
    } else if (state === 'closed') {
      this.asked.clear();
      this.offered.forEach(session => this.settle(session, 'restarted'));
    }
  }

  private answered(message: unknown): void {
    const { type, request } = (message ?? {}) as { type?: unknown; request?: unknown };
    const session = typeof request === 'number' ? this.asked.get(request) : undefined;
    if (session !== undefined && (type === 'done' || type === 'failed')) {
      this.asked.delete(request as number);
      this.settle(session, type === 'done' ? null : 'dropped');
    }
  }

  private settle(session: string, lost: Lost | null): void {
    if (lost !== null) {
      this.offered.delete(session);
      this.lost(session, lost);
    }
    const waiting = this.waiting.get(session) ?? [];
    this.waiting.delete(session);
    waiting.forEach(resolve => resolve(lost === null));
  }
}
