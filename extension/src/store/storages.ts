/** The memory blocks of a graph, and what was written to them; changed in place. */
import type { Storage, StorageChange, Write } from '../protocol';

/** Latest writes of a block that are kept, as in the kernel (`WRITES_TOLD`). */
const WRITES_KEPT = 64;

export class Storages {
  private readonly byId = new Map<number, Storage>();
  /** The counters when the session was opened here. */
  private readonly opened: ReadonlyMap<number, number>;
  /** All of them, until one changes. */
  private all: readonly Storage[] | null = null;

  constructor(storages: readonly Storage[]) {
    this.opened = new Map(storages.map(({ id, version }) => [id, version]));
    this.replace(storages);
  }

  get list(): readonly Storage[] {
    return (this.all ??= [...this.byId.values()]);
  }

  get count(): number {
    return this.byId.size;
  }

  get(id: number | null): Storage | undefined {
    return id === null ? undefined : this.byId.get(id);
  }

  /** Was it written since the session was opened here? */
  written({ id, version }: Storage): boolean {
    return version > (this.opened.get(id) ?? 0);
  }

  replace(storages: readonly Storage[]): void {
    for (const storage of storages) {
      this.byId.set(storage.id, storage);
    }
    this.all = null;
  }

  apply({ storage: id, version, writes, opened }: StorageChange): void {
    const old = opened ?? this.byId.get(id);
    if (!old) {
      return; // A change of one that was never told of: the next state has it.
    }
    const kept = toldOf(old, version, writes);
    this.byId.set(id, { ...old, version, writes: kept, writes_dropped: version - kept.length });
    this.all = null;
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
