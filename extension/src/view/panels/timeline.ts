/** A storage's history as places on a line. */
import type { SavedState, SaveMark, Storage, Write } from '../../protocol';
import type { SavedValues, Storages } from '../../store';

export type Tick =
  | { readonly kind: 'write'; readonly write: Write; readonly at: number }
  | {
      readonly kind: 'save';
      readonly mark: SaveMark;
      readonly state: SavedState;
      readonly at: number;
    };

/** What is known of the values that nodes saved. */
type Saves = Pick<SavedValues, 'of' | 'stale' | 'staleStorages'>;

export interface Timeline {
  readonly ticks: readonly Tick[];
  /** From the write that made a saved value stale until now; null if none is stale. */
  readonly staleFrom: number | null;
  /** Saves that are not drawn: of a crowd only some are. */
  readonly unseen: number;
  /** Writes that are not drawn: no longer kept, or of no concern to any saved value. */
  readonly untold: number;
  /** The last of those among them that are kept. */
  readonly lastUntold: Write | null;
}

/** A parameter is written at every step of a training: more than this many are not all drawn. */
const CROWD = 8;
/** A weight of a recurrent network is saved at every step: neither are these. */
const MOST_SAVES = 48;

type Moment =
  | { readonly clock: number; readonly write: Write; readonly mark: null }
  | { readonly clock: number; readonly write: null; readonly mark: SaveMark };

/** What is drawn of a storage, however its saved values are doing: found once. */
const drawn = new WeakMap<Storage, readonly Moment[]>();

/**
 * The writes that matter to the user: the first after each save (it would make the value
 * stale), the last before the saves, and the last of all.
 */
function toldWrites({ writes, saves }: Storage): readonly Write[] {
  if (writes.length <= CROWD) {
    return writes;
  }
  const told = new Set<Write | undefined>([writes.at(-1)]);
  const first = Math.min(...saves.map(mark => mark.clock));
  told.add(writes.findLast(write => write.clock < first));
  for (const mark of saves) {
    told.add(writes.find(write => write.clock > mark.clock));
  }
  return writes.filter(write => told.has(write));
}

/** Evenly spread ones of a crowd, its ends among them. */
function toldSaves({ saves }: Storage): readonly SaveMark[] {
  if (saves.length <= MOST_SAVES) {
    return saves;
  }
  const inOrder = saves.toSorted((a, b) => a.clock - b.clock);
  return Array.from({ length: MOST_SAVES }, (_, i) => {
    const at = Math.round((i * (inOrder.length - 1)) / (MOST_SAVES - 1));
    return inOrder[at] as SaveMark;
  });
}

function momentsOf(storage: Storage): readonly Moment[] {
  const known = drawn.get(storage);
  if (known) {
    return known;
  }
  const moments = [
    ...toldWrites(storage).map(write => ({ clock: write.clock, write, mark: null })),
    ...toldSaves(storage).map(mark => ({ clock: mark.clock, write: null, mark }))
  ].sort((a, b) => a.clock - b.clock);
  drawn.set(storage, moments);
  return moments;
}

function stateOf({ node, name, state }: SaveMark, saved: Saves): SavedState {
  return saved.of(node).find(value => value.name === name)?.state ?? state;
}

/**
 * Writes and saves in the order of the clock, evenly spaced between 0 and 1: what counts is what
 * came before what. A save's state is what the run says now.
 */
export function timelineOf(storage: Storage, saved: Saves): Timeline {
  const moments = momentsOf(storage);
  let staleFrom: number | null = null;
  let stale = Infinity;
  const ticks = moments.map(({ write, mark }, i): Tick => {
    const at = (i + 1) / (moments.length + 1);
    if (write) {
      return { kind: 'write', write, at };
    }
    const state = stateOf(mark, saved);
    if (state === 'stale' && mark.version === null) {
      staleFrom ??= at; // The write itself is not among those told.
    }
    return { kind: 'save', mark, state, at };
  });
  for (const mark of saved.stale > 0 ? storage.saves : []) {
    if (mark.clock < stale && stateOf(mark, saved) === 'stale') {
      stale = mark.clock;
    }
  }
  for (const tick of ticks) {
    if (staleFrom === null && tick.kind === 'write' && tick.write.clock > stale) {
      staleFrom = tick.at;
    }
  }
  if (staleFrom === null && stale !== Infinity) {
    staleFrom = 0; // The write itself is no longer among those kept.
  }
  if (staleFrom === null && saved.stale > 0 && saved.staleStorages.has(storage.id)) {
    // It was saved where no mark was told of.
    staleFrom = ticks.find(tick => tick.kind === 'write')?.at ?? 0;
  }
  const told = new Set(moments.map(({ write }) => write));
  const writes = ticks.filter(tick => tick.kind === 'write').length;
  return {
    ticks,
    staleFrom,
    unseen: storage.saves.length + storage.saves_dropped - (ticks.length - writes),
    untold: storage.version - writes,
    lastUntold: storage.writes.findLast(write => !told.has(write)) ?? null
  };
}

export interface Ranked {
  /** In the order in which they are shown. */
  readonly shown: readonly Storage[];
  /** Those that nobody wrote since the session was opened, nor after a node saved something in them. */
  readonly quiet: readonly Storage[];
}

/**
 * Stale storages first, then those written since the session was opened, then the rest; each in
 * the order of the nodes that saved them.
 */
export function ranked(storages: Storages, saved: Saves): Ranked {
  const stale = saved.staleStorages;
  const rank = (storage: Storage): number =>
    stale.has(storage.id) ? 0 : storages.written(storage) ? 1 : 2;
  const first = ({ saves }: Storage): number =>
    saves.reduce((least, { node }) => Math.min(least, node), Number.MAX_SAFE_INTEGER);
  const rows = storages.list
    .map(storage => ({ storage, rank: rank(storage), first: first(storage) }))
    .sort((a, b) => a.rank - b.rank || a.first - b.first || a.storage.id - b.storage.id);
  const isQuiet = ({ rank, storage }: (typeof rows)[number]): boolean =>
    rank === 2 && !writtenAfterSave(storage);
  return {
    shown: rows.filter(row => !isQuiet(row)).map(row => row.storage),
    quiet: rows.filter(isQuiet).map(row => row.storage)
  };
}

function writtenAfterSave({ writes, saves }: Storage): boolean {
  const last = writes.at(-1)?.clock ?? -Infinity;
  return saves.some(({ clock }) => clock < last);
}

/** Width of a label of 9 px, in pixels, with the air around it. */
const labelWidth = (version: number): number => 6 * `v${version}`.length + 6;

/**
 * Which writes get a label on a line `width` pixels long, so that no two overlap: the last write
 * and the one that made a value stale before any other.
 */
export function labelled({ ticks, staleFrom }: Timeline, width: number): ReadonlySet<Tick> {
  const writes = ticks.filter(tick => tick.kind === 'write');
  const urgent = writes.filter((tick, i) => i === writes.length - 1 || tick.at === staleFrom);
  const chosen: { from: number; to: number }[] = [];
  const told = new Set<Tick>();
  for (const tick of [...urgent.reverse(), ...writes]) {
    const half = labelWidth(tick.write.version) / 2;
    const from = tick.at * width - half;
    const to = tick.at * width + half;
    if (!told.has(tick) && chosen.every(other => to <= other.from || from >= other.to)) {
      chosen.push({ from, to });
      told.add(tick);
    }
  }
  return told;
}
