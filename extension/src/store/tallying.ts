/** How the nodes behind one box, or in one frame, are doing; changed in place as records are gone over. */
import type { NodeState, Tally } from '../protocol';

type Counted = 'done' | 'ready' | 'captured' | 'skipped' | 'error';
const COUNTED: readonly NodeState[] = ['done', 'ready', 'captured', 'skipped', 'error'];

export class Tallying {
  private readonly counts: Record<Counted | 'nonfinite' | 'stale', number>;
  private readonly norms: (number | null)[];
  private readonly firsts: (number | null)[];
  private readonly nodes: number;
  /** What was given last: the same object until something changes. */
  private given: Tally | null;

  /** Behind it are nodes `first` ... `last - 1`, in cells of equal size. */
  constructor(
    tally: Tally,
    private readonly first: number,
    private readonly last: number
  ) {
    const { nodes, norms, firsts, ...counts } = tally;
    this.nodes = nodes;
    this.norms = [...norms];
    this.firsts = [...firsts];
    this.counts = counts;
    this.given = tally;
  }

  get tally(): Tally {
    return (this.given ??= {
      nodes: this.nodes,
      ...this.counts,
      norms: [...this.norms],
      firsts: [...this.firsts]
    });
  }

  /** A node's state is another one. */
  turn(from: NodeState, to: NodeState): void {
    this.count(from, -1);
    this.count(to, 1);
  }

  private count(state: NodeState, by: 1 | -1): void {
    if (COUNTED.includes(state)) {
      this.counts[state as Counted] += by;
      this.given = null;
    }
  }

  stale(by: number): void {
    this.counts.stale += by;
    this.given = null;
  }

  /** `node` was visited, and a gradient of this norm had arrived. */
  visit(node: number, norm: number | null): void {
    const cell = this.cellOf(node);
    if (this.firsts[cell] === null) {
      this.firsts[cell] = node;
      this.norms[cell] = norm;
      this.given = null;
    }
    this.countNorm(norm, 1);
  }

  /** The visit was taken back. */
  unvisit(node: number, norm: number | null): void {
    const cell = this.cellOf(node);
    if (this.firsts[cell] === node) {
      this.firsts[cell] = this.norms[cell] = null;
      this.given = null;
    }
    this.countNorm(norm, -1);
  }

  private countNorm(norm: number | null, by: 1 | -1): void {
    if (norm !== null && !Number.isFinite(norm)) {
      this.counts.nonfinite += by;
      this.given = null;
    }
  }

  private cellOf(node: number): number {
    const { first, last, firsts } = this;
    return Math.floor(((node - first) * firsts.length) / (last - first));
  }
}
