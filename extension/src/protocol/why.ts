// Made by `make types` from vizgrad/debugger/jupyter/widget/protocol/why.py: do not edit.
/** Why a node is as it is: the answer, and the way from it to its cause. */
import { array, integer, nullable, optional, record, string, word } from './check';
import type { Reader } from './check';
import { readPlace } from './model/place';
import type { Place } from './model/place';

/** Why is the gradient of this node, or what it has saved, as it is? */
export interface GetWhy {
  readonly type: 'get_why';
  readonly request: number;
  readonly session: string;
  readonly node: number;
}

/** A line of the person's source, numbered as an editor does. */
export interface WhyLine {
  readonly number: number;
  readonly text: string;
}

/** One thing on the way: `node` is its number; None where no node of the session stands for it. */
export interface WhyLink {
  readonly text: string;
  readonly place: Place | null;
  readonly node: number | null;
}

/**
 * See `vizgrad.core.errors.Explanation`: `kind` is "healthy" where there is nothing to explain, and
 * `heading` the same in words.
 *
 * `chain` leads from what was seen to its cause. `lines` are the culprit's and those beside it. It
 * happened in the step behind which `position` are done; None: in none that was done. `check` says
 * how the Function of the node is examined; empty for others. `when` says in which rounds of which
 * loop it happened. `at` is the number of the backward that a cell like `cell` (an id) would stop
 * before; 0: no cell would.
 */
export interface Why {
  readonly type: 'why';
  readonly request: number;
  readonly session: string;
  readonly revision: number;
  readonly node: number;
  readonly kind: string;
  readonly tensor: string;
  readonly story: string;
  readonly fix: string;
  readonly mended: string;
  readonly culprit: Place | null;
  readonly lines: readonly WhyLine[];
  readonly chain: readonly WhyLink[];
  readonly position: number | null;
  readonly check: string;
  readonly heading: string;
  readonly when: string;
  readonly at: number;
  readonly cell: string;
}

export const readGetWhy: Reader<GetWhy> = record<GetWhy>({
  type: word('get_why'),
  request: integer,
  session: string,
  node: integer
});

export const readWhyLine: Reader<WhyLine> = record<WhyLine>({
  number: integer,
  text: string
});

export const readWhyLink: Reader<WhyLink> = record<WhyLink>({
  text: string,
  place: nullable(readPlace),
  node: nullable(integer)
});

export const readWhy: Reader<Why> = record<Why>({
  type: word('why'),
  request: integer,
  session: string,
  revision: integer,
  node: integer,
  kind: string,
  tensor: string,
  story: string,
  fix: string,
  mended: string,
  culprit: nullable(readPlace),
  lines: array(readWhyLine),
  chain: array(readWhyLink),
  position: optional(nullable(integer), null),
  check: optional(string, ''),
  heading: optional(string, ''),
  when: optional(string, ''),
  at: optional(integer, 0),
  cell: optional(string, '')
});
