/** How large the gradients were that went over the lines that are drawn. */
import type { TensorSummary } from '../protocol';

/**
 * What went over each line that is drawn. A line may stand for many edges: of those the gradients are kept that
 * were larger than all before them, so that the largest is known after a step back too.
 */
interface Flowed {
  readonly node: number;
  readonly norm: number | null;
  readonly tangents: Norms;
}

/** Of the tangents of a gradient, in forward mode. */
type Norms = readonly (number | null)[];

const NONE: Norms = [];

export class Flows {
  /** By line, in the order of the run: the last is the largest. */
  private readonly lines = new Map<number, Flowed[]>();

  add(line: number, node: number, norm: number | null, tangents: Norms = NONE): void {
    const known = this.lines.get(line);
    const last = known?.at(-1);
    if (known === undefined || last === undefined) {
      this.lines.set(line, [{ node, norm, tangents }]);
    } else if (isLarger(norm, last.norm)) {
      known.push({ node, norm, tangents });
    }
  }

  /** All that `node` sent over it: the latest. */
  takeBack(line: number, node: number): void {
    const known = this.lines.get(line) ?? [];
    while (known.at(-1)?.node === node) {
      known.pop();
    }
  }

  /** Its norm; null: all was undefined; undefined: nothing went yet. */
  largest(line: number): number | null | undefined {
    return this.lines.get(line)?.at(-1)?.norm;
  }

  /** The norms of its tangents. */
  tangents(line: number): Norms {
    return this.lines.get(line)?.at(-1)?.tangents ?? NONE;
  }
}

/** NaN is the largest, an undefined gradient (null) the smallest. */
export function isLarger(norm: number | null, than: number | null): boolean {
  if (norm === null || Number.isNaN(than)) {
    return false;
  }
  return than === null || Number.isNaN(norm) || norm > than;
}

/** The norms of the tangents of a gradient. */
export function sizesOf(gradient: TensorSummary | null | undefined): Norms {
  return gradient?.tangents.map(({ norm }) => norm) ?? NONE;
}
