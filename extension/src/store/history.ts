/** Which nodes were run when, as far as a view was told; undone visits are among them. */
import type { VisitLine } from '../protocol';

/** Visits `first` ... `first + count - 1`. */
export interface Window {
  readonly first: number;
  readonly count: number;
}

export class History {
  private readonly lines = new Map<number, VisitLine>();

  /** The node of visit number `index`. */
  node(index: number): number | undefined {
    return this.lines.get(index)?.node;
  }

  line(index: number): VisitLine | undefined {
    return this.lines.get(index);
  }

  learn(lines: readonly VisitLine[]): void {
    for (const line of lines) {
      this.lines.set(line.index, line);
    }
  }

  /** From the first to the last visit of these that is not known; null if all are. */
  missing({ first, count }: Window): Window | null {
    let from = first;
    let to = first + count;
    while (from < to && this.lines.has(from)) {
      from++;
    }
    while (from < to && this.lines.has(to - 1)) {
      to--;
    }
    return from < to ? { first: from, count: to - from } : null;
  }
}
