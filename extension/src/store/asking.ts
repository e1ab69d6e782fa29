/** Sends requests, one number each; asks for what the view wants to know, and not twice in vain. */
import type { Request, Unnumbered } from '../protocol';
import { enqueue, MOVES, requestFor } from './moves';
import type { Move } from './moves';
import { Pending, READS } from './pending';
import type { Port } from './port';

/** Something that the view wants to know. */
export interface Want {
  readonly request: Unnumbered;
  /** What has to be another before it is worth to ask again, if an answer did not help. */
  readonly about?: string;
}

export class Asking {
  readonly pending: Pending;
  private moves: readonly Move[] = [];
  /** By type: what was answered last. */
  private readonly answered = new Map<Request['type'], string>();
  /** Of what is under way: what it is about. */
  private readonly abouts = new WeakMap<Unnumbered, string>();

  /** `failed` is told of a request that the port did not take. */
  constructor(
    private readonly port: Port,
    pendingChanged: () => void,
    private readonly failed: (error: unknown) => void
  ) {
    this.pending = new Pending(pendingChanged);
  }

  send(request: Unnumbered): void {
    const number = this.pending.add(request);
    try {
      this.port.send({ ...request, request: number });
    } catch (error) {
      this.pending.drop(number);
      this.failed(error);
    }
  }

  /** Asks for what is wanted and not under way already. */
  ask(wants: readonly Want[]): void {
    for (const want of wants) {
      const { request, about = '' } = want;
      if (!this.isUnderWay(want) && this.answered.get(request.type) !== keyOf(want)) {
        this.abouts.set(request, about);
        this.send(request);
      }
    }
  }

  /** What was asked under this number, if it was here and is not settled; its answer has come. */
  settle(number: number): Unnumbered | undefined {
    const request = this.pending.settle(number);
    const about = request && this.abouts.get(request);
    if (request && about !== undefined && request.type !== 'attach') {
      this.answered.set(request.type, keyOf({ request, about }));
    }
    return request;
  }

  /** What was asked may never be answered: it is asked again. */
  forget(): void {
    this.pending.clear();
    this.answered.clear();
  }

  /** Another session is shown: of what was answered about the one before nothing is kept. */
  anew(): void {
    this.answered.clear();
  }

  /** What was answered is kept no longer: who wants it asks again. */
  letGo(type: Request['type']): void {
    this.answered.delete(type);
  }

  // --- moves ---

  move(move: Move): void {
    this.moves = enqueue(this.moves, move);
  }

  /** Sends the move that comes next, if none is under way. */
  nextMove(session: string | null): void {
    const [move, ...rest] = this.moves;
    if (move && !this.pending.has(...MOVES)) {
      this.moves = rest;
      if (session !== null) {
        this.send(requestFor(move, session));
      }
    }
  }

  stand(): void {
    this.moves = [];
  }

  private isUnderWay({ request }: Want): boolean {
    const { type } = request;
    if (type === 'attach') {
      // Another session than the one that was asked for may be wanted meanwhile.
      return this.pending.underWay.some(sent => JSON.stringify(sent) === JSON.stringify(request));
    }
    return this.pending.has(...(READS.includes(type) ? READS : [type]));
  }
}

function keyOf({ request, about = '' }: Want): string {
  return `${JSON.stringify(request)} ${about}`;
}
