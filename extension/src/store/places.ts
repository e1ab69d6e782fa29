/** Where nodes and edges are in a drawing. */
import type { Drawing } from '../protocol';

/** A stretch of the numbers of nodes, and the place in `boxes` or `frames` of what stands for it. */
interface Stretch {
  readonly first: number;
  readonly last: number;
  readonly place: number;
}

const NOWHERE: readonly number[] = [];
const EDGES_PER_NODE = 2 ** 20;

export class Places {
  /** By node: the box of its own. */
  private readonly own = new Map<number, number>();
  /** Closed groups and boxes of cells: no two have a node in common. */
  private readonly folded: readonly Stretch[];
  /** Frames by place, and in order: each behind those around it. */
  private readonly frames: readonly Stretch[];
  private readonly inOrder: readonly Stretch[];
  /** By the place of a frame: that of the one around it. */
  private readonly around: readonly (number | null)[];
  /** Lines of one edge by node and edge; others by the boxes at their ends. */
  private readonly single = new Map<number, number>();
  private readonly several = new Map<string, number>();

  constructor({ boxes, lines, frames, groups }: Drawing) {
    const folded: Stretch[] = [];
    boxes.forEach(({ kind, node, first, last }, place) => {
      if (kind === 'group' || kind === 'cells') {
        folded.push({ first, last, place });
      } else if (kind === 'node' && node !== null) {
        this.own.set(node, place);
      }
    });
    this.folded = folded.sort((a, b) => a.first - b.first);
    const byId = new Map(groups.map(group => [group.id, group]));
    this.around = frames.map(({ parent }) => parent);
    this.frames = frames.map(({ group }, place) => {
      const { first = 0, last = 0 } = byId.get(group) ?? {};
      return { first, last, place };
    });
    const depth = this.frames.map(({ place }) => this.from(place).length);
    this.inOrder = this.frames.toSorted(
      (a, b) => a.first - b.first || (depth[a.place] ?? 0) - (depth[b.place] ?? 0)
    );
    lines.forEach(({ source, target, node, edge }, place) => {
      if (node === null) {
        this.several.set(`${source} ${target}`, place);
      } else {
        this.single.set(edgeKey(node, edge), place);
      }
    });
  }

  /** The place of the closed group or box of cells that `node` is behind. */
  behind(node: number): number | undefined {
    const found = this.folded[latest(this.folded, node)];
    return found && node < found.last ? found.place : undefined;
  }

  /** The places of the frames that `node` is in, innermost first. */
  inside(node: number): readonly number[] {
    const found = this.inOrder[latest(this.inOrder, node)];
    // The one that begins last may end before the node; one around it does not.
    return (found ? this.from(found.place) : NOWHERE).filter(place => {
      const { first, last } = this.frames[place] as Stretch;
      return first <= node && node < last;
    });
  }

  /** A frame and those around it. */
  private from(place: number | null): readonly number[] {
    const places: number[] = [];
    while (place !== null) {
      places.push(place);
      place = this.around[place] ?? null;
    }
    return places;
  }

  /** The place of the line that edge number `edge` of `node`, to `target`, is part of. */
  line(node: number, edge: number, target: number): number | undefined {
    const single = this.single.get(edgeKey(node, edge));
    if (single !== undefined) {
      return single;
    }
    const from = this.own.get(node) ?? this.behind(node);
    const to = this.own.get(target) ?? this.behind(target);
    return from === undefined || to === undefined ? undefined : this.several.get(`${from} ${to}`);
  }
}

/** One number for edge `edge` of node `node`. */
function edgeKey(node: number, edge: number): number {
  return node * EDGES_PER_NODE + edge;
}

/** The last stretch that begins at `node` or before it; -1: none does. */
function latest(stretches: readonly Stretch[], node: number): number {
  let low = 0;
  let high = stretches.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((stretches[middle] as Stretch).first <= node) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low - 1;
}
