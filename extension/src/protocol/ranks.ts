// Made by `make types` from vizgrad/debugger/jupyter/widget/protocol/ranks.py: do not edit.
/**
 * The sessions of several ranks in one view: which ranks there are, and how they compare at each
 * node.
 */
import {
  array,
  boolean,
  float,
  integer,
  nullable,
  oneOf,
  optional,
  record,
  string,
  word
} from './check';
import type { Reader } from './check';

export const RANK_STATES = [
  'paused',
  'running',
  'waits',
  'finished',
  'error',
  'busy',
  'lost',
  'closed'
] as const;
export type RankState = (typeof RANK_STATES)[number];
export const readRankState = oneOf(RANK_STATES);

export const RANK_LETTERS = ['.', 'o', 'n', 'u', 'z', 's', 'a', 'w'] as const;
export type RankLetter = (typeof RANK_LETTERS)[number];
export const readRankLetter = oneOf(RANK_LETTERS);

/** A rank: the session by which a view attaches to it, and where it stands in words. */
export interface RankMember {
  readonly rank: number;
  readonly session: string;
  readonly state: RankState;
  readonly text: string;
}

/**
 * The ranks at a node of the session that is shown: a letter (`RankLetter`) for each cell, and the
 * same in words, empty where no gradient has arrived. `leaving`: a rank leaves the others there.
 */
export interface RankRow {
  readonly node: number;
  readonly cells: string;
  readonly text: string;
  readonly leaving: boolean;
}

/** The ranks at collective `number` of a `group`: a letter for each cell, and the same in words. */
export interface RankCall {
  readonly group: string;
  readonly number: number;
  readonly cells: string;
  readonly text: string;
}

/**
 * Event, to views of a session that is one of several ranks': the ranks, and the rows of nodes
 * where they have changed; `whole`: all rows, those told before do not count. `differing` nodes
 * have a rank that leaves the others, `first` is the one that ran first, and `text` says so. Each
 * cell stands for `per_cell` ranks. `together`: a move of this view moves all ranks; None: there is
 * no such choice. `calls` are the collectives that ranks have called. `followed`: the update of the
 * session that is shown comes next, so that both are drawn at once.
 */
export interface Ranks {
  readonly type: 'ranks';
  readonly session: string;
  readonly rank: number;
  readonly members: readonly RankMember[];
  readonly whole: boolean;
  readonly rows: readonly RankRow[];
  readonly differing: number;
  readonly first: number | null;
  readonly text: string;
  readonly per_cell: number;
  readonly together: boolean | null;
  readonly calls: readonly RankCall[];
  readonly followed: boolean;
}

/** Each rank at one node. */
export interface GetRanks {
  readonly type: 'get_ranks';
  readonly request: number;
  readonly session: string;
  readonly node: number;
}

/**
 * A rank at a node: what has arrived in words, how long the node ran, whether it leaves the others.
 */
export interface RankAt {
  readonly rank: number;
  readonly text: string;
  readonly seconds: number;
  readonly leaving: boolean;
}

/** They are these. */
export interface RanksAt {
  readonly type: 'ranks_at';
  readonly request: number;
  readonly session: string;
  readonly node: number;
  readonly ranks: readonly RankAt[];
}

/** From now on moves are of all ranks, or of the one that is shown. */
export interface MoveTogether {
  readonly type: 'move_together';
  readonly request: number;
  readonly session: string;
  readonly enabled: boolean;
}

export const readRankMember: Reader<RankMember> = record<RankMember>({
  rank: integer,
  session: string,
  state: readRankState,
  text: string
});

export const readRankRow: Reader<RankRow> = record<RankRow>({
  node: integer,
  cells: string,
  text: string,
  leaving: boolean
});

export const readRankCall: Reader<RankCall> = record<RankCall>({
  group: string,
  number: integer,
  cells: string,
  text: string
});

export const readRanks: Reader<Ranks> = record<Ranks>({
  type: word('ranks'),
  session: string,
  rank: integer,
  members: array(readRankMember),
  whole: boolean,
  rows: array(readRankRow),
  differing: integer,
  first: nullable(integer),
  text: string,
  per_cell: optional(integer, 1),
  together: optional(nullable(boolean), null),
  calls: optional(array(readRankCall), []),
  followed: optional(boolean, false)
});

export const readGetRanks: Reader<GetRanks> = record<GetRanks>({
  type: word('get_ranks'),
  request: integer,
  session: string,
  node: integer
});

export const readRankAt: Reader<RankAt> = record<RankAt>({
  rank: integer,
  text: string,
  seconds: float,
  leaving: boolean
});

export const readRanksAt: Reader<RanksAt> = record<RanksAt>({
  type: word('ranks_at'),
  request: integer,
  session: string,
  node: integer,
  ranks: array(readRankAt)
});

export const readMoveTogether: Reader<MoveTogether> = record<MoveTogether>({
  type: word('move_together'),
  request: integer,
  session: string,
  enabled: boolean
});
