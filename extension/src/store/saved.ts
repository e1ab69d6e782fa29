/**
 * Saved values as they are now: those of the nodes that are drawn, and of others those in storages that were
 * told of (every stale value is). Changed in place.
 */
import type {
  Drawing,
  Saved,
  SavedRun,
  SavedState,
  SaveMark,
  Standing,
  Storage
} from '../protocol';
import { isTensor } from './plain';
import type { Storages } from './storages';

/** What the kernel said of a value after the drawing was made. */
type Said = Pick<SavedRun, 'state' | 'culprit'>;

const NOTHING: readonly Saved[] = [];

export class SavedValues {
  /** Nodes that are drawn and saved something, in order. */
  readonly savers: readonly number[];
  /** Stale tensors in the whole graph. */
  stale: number;
  private readonly base = new Map<number, readonly Saved[]>();
  private readonly said = new Map<number, Map<string, Said>>();
  private readonly freed = new Map<number, Set<string>>();
  private readonly now = new Map<number, readonly Saved[]>();
  /** Nodes that are drawn, by the storages in which they saved something. */
  private readonly inStorage = new Map<number, number[]>();
  /** Nodes with a stale value, drawn or not. */
  private readonly withStale = new Set<number>();
  private readonly counts = { alive: 0, stale: 0, packed: 0, freed: 0 };
  /** Those that are drawn. */
  private readonly drawn: ReadonlySet<number>;

  /** `turned` is told how many tensors more of a node are stale, or fewer. */
  constructor(
    drawing: Drawing,
    standing: Standing,
    private readonly storages: Storages,
    private readonly turned: (node: number, by: number) => void
  ) {
    const savers = drawing.nodes.filter(({ saved }) => saved.length > 0);
    this.savers = savers.map(({ id }) => id).sort((a, b) => a - b);
    this.drawn = new Set(drawing.nodes.map(({ id }) => id));
    for (const { id, saved } of savers) {
      this.base.set(
        id,
        saved.map(value => ({ ...value, state: value.state === 'freed' ? 'alive' : value.state }))
      );
      saved.filter(isFreed).forEach(({ name }) => this.freedOf(id).add(name));
      for (const storage of new Set(saved.map(value => value.storage))) {
        if (storage !== null) {
          this.inStorage.set(storage, [...(this.inStorage.get(storage) ?? []), id]);
        }
      }
    }
    this.stale = 0;
    this.learnMarks(standing.storages);
    standing.saved.forEach(change => this.note(change));
    for (const node of this.base.keys()) {
      this.renew(node, false);
    }
    this.stale = standing.stale;
  }

  /** The values of one node, as far as they are known: the same object until one of them changes. */
  of(node: number): readonly Saved[] {
    return this.now.get(node) ?? NOTHING;
  }

  /** How many tensors of nodes that are drawn are in this state. */
  count(state: SavedState): number {
    return this.counts[state];
  }

  /** Nodes with a stale value, in order. */
  get staleNodes(): readonly number[] {
    return [...this.withStale].sort((a, b) => a - b);
  }

  /** Storages with a stale value. */
  get staleStorages(): ReadonlySet<number> {
    const storages = new Set<number>();
    for (const node of this.withStale) {
      for (const { state, storage } of this.of(node)) {
        if (state === 'stale' && storage !== null) {
          storages.add(storage);
        }
      }
    }
    return storages;
  }

  // --- what happens to them ---

  /** The kernel says so: `storage` was written to, or that was taken back. */
  tell(change: SavedRun, storage: Storage): void {
    const { node, name } = change;
    if (!this.drawn.has(node) && this.values(node).every(value => value.name !== name)) {
      const mark = storage.saves.find(each => each.node === node && each.name === name);
      this.base.set(node, [
        ...this.values(node),
        marked(mark ?? { ...change, version: null, clock: 0 }, storage)
      ]);
    }
    this.note(change);
    this.renew(node);
  }

  /** A storage that was not told of before: what is stale in it became so now. */
  meet(storage: Storage): void {
    this.learnMarks([storage]);
    this.written(storage);
  }

  /** A storage was written, or that was taken back. Of many saves in it not all are told of. */
  written({ id, saves }: Storage): void {
    const drawn = this.inStorage.get(id) ?? [];
    for (const node of new Set([...drawn, ...saves.map(mark => mark.node)])) {
      this.renew(node);
    }
  }

  /** The node was run, and let go of these. */
  release(node: number, names: readonly string[]): void {
    if (names.length > 0) {
      names.forEach(name => this.freedOf(node).add(name));
      this.renew(node);
    }
  }

  /** Its run was taken back. */
  giveBack(node: number, names: readonly string[]): void {
    if (names.length > 0) {
      names.forEach(name => this.freedOf(node).delete(name));
      this.renew(node);
    }
  }

  // --- how they are ---

  private renew(node: number, tell = true): void {
    const base = this.base.get(node);
    if (!base) {
      return;
    }
    const old = this.now.get(node) ?? NOTHING;
    const freed = this.freed.get(node);
    const said = this.said.get(node);
    const now = base.map(value =>
      this.valueNow(value, freed?.has(value.name) ?? false, said?.get(value.name))
    );
    if (same(old, now)) {
      return;
    }
    this.now.set(node, now);
    if (this.drawn.has(node)) {
      this.tally(old, -1);
      this.tally(now, 1);
    }
    const stale = staleIn(now);
    if (stale > 0) {
      this.withStale.add(node);
    } else {
      this.withStale.delete(node);
    }
    const more = stale - staleIn(old);
    if (tell && more !== 0) {
      this.stale += more;
      this.turned(node, more);
    }
  }

  private valueNow(value: Saved, freed: boolean, said: Said | undefined): Saved {
    const storage = this.storages.get(value.storage);
    const version_now = storage?.version ?? value.version_now;
    if (freed) {
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
    // Released saves are not reported: the counter shows which are stale.
    const stale = version_now > version_saved;
    const first = storage.writes.find(write => write.version > version_saved) ?? null;
    const culprit = stale ? (said?.culprit ?? value.culprit ?? first) : null;
    return { ...value, state: stale ? 'stale' : 'alive', version_now, culprit };
  }

  private note({ node, name, state, culprit }: SavedRun): void {
    if (state === 'freed') {
      this.freedOf(node).add(name);
      return;
    }
    this.freed.get(node)?.delete(name);
    const names = this.said.get(node) ?? new Map<string, Said>();
    this.said.set(node, names.set(name, { state, culprit }));
  }

  private values(node: number): readonly Saved[] {
    return this.base.get(node) ?? NOTHING;
  }

  private freedOf(node: number): Set<string> {
    let names = this.freed.get(node);
    if (!names) {
      names = new Set();
      this.freed.set(node, names);
    }
    return names;
  }

  /** Of nodes that are not drawn: what a storage says of values in it. */
  private learnMarks(storages: readonly Storage[]): void {
    for (const storage of storages) {
      for (const mark of storage.saves) {
        const known = this.values(mark.node);
        if (!this.drawn.has(mark.node) && known.every(({ name }) => name !== mark.name)) {
          this.base.set(mark.node, [...known, marked(mark, storage)]);
          this.note({ ...mark, version_now: storage.version, culprit: null });
        }
      }
    }
  }

  private tally(values: readonly Saved[], by: 1 | -1): void {
    for (const value of values) {
      if (isTensor(value)) {
        this.counts[value.state] += by;
      }
    }
  }
}

/** A saved value of which only its mark on a storage's timeline is known. */
function marked({ name, version, state }: SaveMark, storage: Storage): Saved {
  return {
    name,
    state: state === 'packed' ? 'packed' : 'alive',
    shape: [],
    dtype: '',
    bytes: 0,
    storage: storage.id,
    version_saved: version,
    version_now: storage.version,
    culprit: null,
    value: '',
    tangents: []
  };
}

function isFreed({ state }: Pick<Saved, 'state'>): boolean {
  return state === 'freed';
}

function staleIn(values: readonly Saved[]): number {
  return values.filter(({ state }) => state === 'stale').length;
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
