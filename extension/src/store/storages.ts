/** The memory blocks of a graph that were told of, and what was written to them; changed in place. */
import type { Storage, StorageChange, Write } from '../protocol';

/** Latest writes of a block that are kept, as in the kernel (`WRITES_TOLD`). */
const WRITES_KEPT = 64;

export class Storages {
  /** How many there are in the whole graph. */
  readonly count: number;
  private readonly byId = new Map<number, Storage>();
  /** Those without events, which the user wanted to see. */
  private readonly quiet = new Set<number>();
  /** The counters when the session was opened here, or when they were told of first. */
  private readonly opened: Map<number, number>;
  /** All that are known, until one changes. */
  private all: readonly Storage[] | null = null;

  /** Besides `storages` there are `untold` others. `before` is what the view knew of them earlier. */
  constructor(storages: readonly Storage[], untold = 0, before: Storages | null = null) {
    this.count = storages.length + untold;
    this.opened = before?.opened ?? new Map<number, number>();
    this.add(storages);
    // Those that are not told of any more were not written since.
    this.learn(before?.list ?? []);
  }

  get list(): readonly Storage[] {
    return (this.all ??= [...this.byId.values()]);
  }

  /** How many were not told of. */
  get untold(): number {
    return Math.max(this.count - this.byId.size, 0);
  }

  get(id: number | null): Storage | undefined {
    return id === null ? undefined : this.byId.get(id);
  }

  /** Was it written since the session was opened here? */
  written({ id, version }: Storage): boolean {
    return version > (this.opened.get(id) ?? 0);
  }

  /** Was it sent only because the user wanted to see all? */
  isQuiet({ id }: Storage): boolean {
    return this.quiet.has(id);
  }

  /** More of them were told of, that nothing happened to; what is known already is newer. */
  learn(storages: readonly Storage[]): void {
    const added = storages.filter(({ id }) => !this.byId.has(id));
    added.forEach(({ id }) => this.quiet.add(id));
    this.add(added);
  }

  private add(storages: readonly Storage[]): void {
    for (const storage of storages) {
      this.byId.set(storage.id, storage);
      if (!this.opened.has(storage.id)) {
        this.opened.set(storage.id, storage.version);
      }
    }
    this.all = null;
  }

  /** Can the change be applied? Of one that is unknown it has to have the whole. */
  follows({ storage, opened }: StorageChange): boolean {
    return opened !== null || this.byId.has(storage);
  }

  /** The storage as it is after the change. */
  apply({ storage: id, version, writes, opened }: StorageChange): Storage {
    const old = opened ?? this.byId.get(id);
    if (!old) {
      throw new Error(`storage ${id} is unknown`);
    }
    const kept = toldOf(old, version, writes);
    const now = { ...old, version, writes: kept, writes_dropped: version - kept.length };
    if (!this.opened.has(id)) {
      this.opened.set(id, version - 1); // It was not among those told of: it is written now.
    }
    this.byId.set(id, now);
    this.quiet.delete(id);
    this.all = null;
    return now;
  }
}

/** The latest writes, and of older ones those that came first after a save, in order. */
function toldOf(old: Storage, version: number, writes: readonly Write[]): readonly Write[] {
  // A write that was taken back left no trace: its number may belong to another one by now.
  const last = Math.min(version, (writes[0]?.version ?? Infinity) - 1);
  const all = [...old.writes.filter(write => write.version <= last), ...writes];
  if (all.length <= WRITES_KEPT) {
    return all;
  }
  const first = new Set(old.saves.map(({ clock }) => all.find(write => write.clock > clock)));
  const latest = all.length - WRITES_KEPT;
  return all.filter((write, index) => index >= latest || first.has(write));
}
