/** What is known of the ranks of a backward that several processes run, of which one is shown. */
import { RANK_LETTERS } from '../protocol';
import type {
  DrawnCollective,
  RankAt,
  RankCall,
  RankLetter,
  RankMember,
  RankRow,
  Ranks
} from '../protocol';
import type { Want } from './requestQueue';
import type { SessionState } from './session';
import type { ViewState } from './view';

export interface RanksState extends Omit<Ranks, 'type' | 'rows' | 'whole'> {
  /** By node, where a gradient has arrived on some rank. */
  readonly rows: ReadonlyMap<number, RankRow>;
  /** How often was told. */
  readonly told: number;
}

/** The ranks at one node, as they were answered last. */
export interface RanksThere {
  readonly session: string;
  readonly node: number;
  readonly ranks: readonly RankAt[];
}

export function ranksAfter(before: RanksState | null, told: Ranks): RanksState {
  const { rows: changed, whole, session, ...rest } = told;
  const rows = new Map(whole || before?.session !== session ? [] : before.rows);
  for (const row of changed) {
    if (row.text === '') {
      rows.delete(row.node);
    } else {
      rows.set(row.node, row);
    }
  }
  return { ...rest, session, rows, told: (before?.told ?? 0) + 1 };
}

/** Those of the session that is shown; null where it has none, or they are not told yet. */
export function ranksOf(session: SessionState | null, ranks: RanksState | null): RanksState | null {
  return ranks !== null && ranks.session === session?.session ? ranks : null;
}

/** The ranks at a collective; null where nothing of it is told. */
export function callOn({ calls }: RanksState, { group, number }: DrawnCollective): RankCall | null {
  return calls.find(each => each.group === group && each.number === number) ?? null;
}

/** Each rank at the selected node. */
export function ranksWanted(
  session: SessionState,
  { selection: node }: ViewState,
  ranks: RanksState | null
): Want | null {
  const known = ranksOf(session, ranks);
  return known === null || node === null
    ? null
    : {
        request: { type: 'get_ranks', session: session.session, node },
        about: `${known.told}`
      };
}

/** The loudest first. */
const LOUDNESS: readonly RankLetter[] = ['n', 'a', 'u', 'z', 's', 'w', 'o', '.'];

/** Of the nodes `first` to `last - 1`: at each rank the loudest cell, and in words the first that leaves the others. */
export function rowWithin(
  first: number,
  last: number,
  rows: ReadonlyMap<number, RankRow>
): RankRow | null {
  const within = [...rows.values()].filter(({ node }) => first <= node && node < last);
  const [some] = within;
  if (!some) {
    return null;
  }
  const leaving = within.filter(row => row.leaving);
  const cells = Array.from(some.cells).map((_, at) => {
    const column = within.map(row => letter(row.cells[at]));
    return LOUDNESS.find(each => column.includes(each)) ?? '.';
  });
  const text =
    leaving[0] === undefined
      ? `no rank leaves the others at its ${nodes(within.length)} that ran`
      : `a rank leaves the others at ${leaving.length} of its nodes; ${leaving[0].text}`;
  return { ...some, cells: cells.join(''), text, leaving: leaving.length > 0 };
}

function nodes(count: number): string {
  return count === 1 ? '1 node' : `${count} nodes`;
}

export function letter(cell: string | undefined): RankLetter {
  return RANK_LETTERS.find(each => each === cell) ?? '.';
}

/** Which ranks stand alike: their numbers, in words, and where they stand. */
export function standings(
  members: readonly RankMember[]
): readonly { readonly who: string; readonly member: RankMember }[] {
  const alike = new Map<string, RankMember[]>();
  for (const member of members) {
    alike.set(member.text, [...(alike.get(member.text) ?? []), member]);
  }
  return [...alike.values()].flatMap(group => {
    const [member] = group;
    return member ? [{ who: who(group, members.length), member }] : [];
  });
}

function who(group: readonly RankMember[], all: number): string {
  if (group.length === all && all > 1) {
    return all === 2 ? 'both ranks' : `all ${all} ranks`;
  }
  const spans: [number, number][] = [];
  for (const { rank } of group) {
    const last = spans.at(-1);
    if (last?.[1] === rank - 1) {
      last[1] = rank;
    } else {
      spans.push([rank, rank]);
    }
  }
  const words = spans.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`));
  return `rank${group.length > 1 ? 's' : ''} ${words.join(', ')}`;
}
