/** The saved values of every node as they are now, and what they hold; changed in place. */
import type { Graph, Saved, SavedRun, SavedState } from '../protocol';
import type { Fold } from './fold';
import type { Held } from './held';
import { isTensor } from './plain';
import type { Storages } from './storages';

/** What the kernel said of a value after the graph was read. */
type Said = Pick<SavedRun, 'state' | 'culprit'>;

const NOTHING: readonly Saved[] = [];

export class SavedValues {
  /** Nodes that saved something, in order. */
  readonly savers: readonly number[];
  private readonly base = new Map<number, readonly Saved[]>();
  private readonly said = new Map<number, Map<string, Said>>();
  private readonly now = new Map<number, readonly Saved[]>();
  private readonly counts = { alive: 0, stale: 0, packed: 0, freed: 0 };

  constructor(
    graph: Graph,
    changes: readonly SavedRun[],
    private readonly fold: Fold,
    private readonly storages: Storages,
    private readonly held: Held
  ) {
    this.savers = graph.nodes.filter(node => node.saved.length > 0).map(node => node.id);
    for (const node of this.savers) {
      this.base.set(node, graph.nodes[node]?.saved ?? NOTHING);
    }
    changes.forEach(change => this.note(change));
    for (const node of this.savers) {
      this.renew(node);
    }
  }

  /** The values of one node: the same object until one of them changes. */
  of(node: number): readonly Saved[] {
    return this.now.get(node) ?? NOTHING;
  }

  /** How many tensors are in this state. */
  count(state: SavedState): number {
    return this.counts[state];
  }

  /** The kernel says so: it was written to, or that was taken back. */
  tell(change: SavedRun): void {
    this.note(change);
    this.renew(change.node);
  }

  /** The node was run, or its run was taken back. */
  renew(node: number): void {
    const base = this.base.get(node);
    if (!base) {
      return;
    }
    const old = this.now.get(node);
    const freed = this.fold.released.get(node) ?? [];
    const said = this.said.get(node);
    const now = base.map(value => this.valueNow(value, freed, said?.get(value.name)));
    if (old && same(old, now)) {
      return;
    }
    this.tally(node, old ?? NOTHING, -1);
    this.tally(node, now, 1);
    this.now.set(node, now);
  }

  private note({ node, name, state, culprit }: SavedRun): void {
    if (state === 'freed') {
      return; // The fold knows.
    }
    const names = this.said.get(node) ?? new Map<string, Said>();
    this.said.set(node, names.set(name, { state, culprit }));
  }

  private valueNow(value: Saved, freed: readonly string[], said: Said | undefined): Saved {
    const storage = this.storages.get(value.storage);
    const version_now = storage?.version ?? value.version_now;
    // What the graph calls freed was so before the run, or by steps that cannot be taken back.
    if (value.state === 'freed' || freed.includes(value.name)) {
      return { ...value, state: 'freed', version_now };
    }
    const { version_saved } = value;
    if (storage === undefined || version_saved === null || value.state === 'packed') {
      return {
        ...value,
        state: said?.state ?? value.state,
        version_now,
        culprit: said?.culprit ?? value.culprit
      };
    }
    // Whoever was released is not told of: what is stale follows from the counter.
    const stale = version_now > version_saved;
    const first = storage.writes.find(write => write.version > version_saved) ?? null;
    const culprit = stale ? (said?.culprit ?? value.culprit ?? first) : null;
    return { ...value, state: stale ? 'stale' : 'alive', version_now, culprit };
  }

  private tally(node: number, values: readonly Saved[], by: 1 | -1): void {
    values.forEach((value, index) => {
      if (isTensor(value)) {
        this.counts[value.state] += by;
      }
      if (value.state !== 'freed') {
        const bytes = this.storages.get(value.storage)?.bytes ?? value.bytes;
        this.held.count(node, index, value, bytes, by);
      }
    });
  }
}

function same(a: readonly Saved[], b: readonly Saved[]): boolean {
  return (
    a.length === b.length &&
    a.every((saved, i) => {
      const other = b[i] as Saved;
      return (
        saved.name === other.name &&
        saved.state === other.state &&
        saved.version_now === other.version_now &&
        saved.bytes === other.bytes
      );
    })
  );
}
