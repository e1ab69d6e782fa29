/** The ready queue, which is taken from at one end and, by a step back, given back to there. */
import type { Ready } from '../protocol';

/** A place in the queue: of equal priorities the smaller turn is first. */
interface Turn {
  readonly priority: number | null;
  readonly turn: number;
}

export class Queue {
  private readonly turns = new Map<number, Turn>();
  /** Turns before and behind all in the queue. */
  private before = -1;
  private behind = 0;

  constructor(ready: readonly Ready[]) {
    this.put(ready);
  }

  put(ready: readonly Ready[]): void {
    for (const { node, priority } of ready) {
      this.turns.set(node, { priority, turn: this.behind++ });
    }
  }

  /** It was the first when it was taken out. */
  putFirst({ node, priority }: Ready): void {
    this.turns.set(node, { priority, turn: this.before-- });
  }

  take(node: number): void {
    this.turns.delete(node);
  }

  has(node: number): boolean {
    return this.turns.has(node);
  }

  get size(): number {
    return this.turns.size;
  }

  /** In the order in which they would run. */
  get list(): readonly Ready[] {
    return [...this.turns]
      .sort(([, a], [, b]) => compare(a, b))
      .map(([node, { priority }]) => ({ node, priority }));
  }
}

/** Larger priorities run first, and those without one (leaves) before all. */
function compare(a: Turn, b: Turn): number {
  if (a.priority === b.priority) {
    return a.turn - b.turn;
  }
  if (a.priority === null || b.priority === null) {
    return a.priority === null ? -1 : 1;
  }
  return b.priority - a.priority;
}
