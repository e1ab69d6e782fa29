/**
 * What a screen reader says, beside what has the focus: where the run is, what a person chose, and what has gone
 * wrong. One short sentence each; what was said is not said again.
 */
import type { Saved } from '../protocol';
import { comparedOf, nodeTitle, runningIn } from '../store';
import type { DebuggerState, Pair, SessionState } from '../store';
import * as format from './format';
import { mostOf, summary } from './graph/differing';

/** What was known when something was said last. */
export interface Heard {
  readonly session: string | null;
  readonly announcement: string;
  readonly stale: readonly number[];
  readonly selection: number | null;
  readonly follow: boolean;
  readonly breakpoints: readonly number[];
  /** The node that is running. */
  readonly running: number | null;
  /** The branch that is compared, as soon as it is known how it differs. */
  readonly comparing: string | null;
}

export const NOTHING_HEARD: Heard = {
  session: null,
  announcement: '',
  stale: [],
  selection: null,
  follow: true,
  breakpoints: [],
  running: null,
  comparing: null
};

export function heard(state: DebuggerState, before: Heard): Heard {
  const { session, announcement, view } = state;
  const stale = session?.saved.staleNodes ?? [];
  return {
    session: session?.session ?? null,
    announcement,
    stale: same(stale, before.stale) ? before.stale : stale,
    selection: view.selection,
    follow: view.follow,
    breakpoints: session?.run.breakpoints ?? [],
    running: runningIn(state),
    comparing: session && pairText(comparedOf(session, view))
  };
}

/** `keys` says in few words which there are. */
export function spoken(
  before: Heard,
  now: Heard,
  session: SessionState | null,
  keys: string
): string {
  if (!session) {
    return now.announcement === before.announcement ? '' : now.announcement;
  }
  const said: string[] = [];
  const opened = now.session !== before.session;
  if (opened) {
    said.push(opening(session), keys);
  } else if (now.announcement !== before.announcement) {
    said.push(now.announcement);
  }
  const known = new Set(opened ? [] : before.stale);
  const turned = now.stale === before.stale ? [] : now.stale.filter(node => !known.has(node));
  if (turned.length > 0) {
    said.push(`${format.count(turned.length, 'node')} with a stale saved value`);
    said.push(staleIn(session, turned[0] as number));
  }
  if (!opened) {
    said.push(...changed(before.breakpoints, now.breakpoints, session));
    if (now.comparing !== before.comparing) {
      said.push(compared(session, now.comparing));
    }
    if (now.follow && !before.follow && said.length === 0) {
      said.push(backAt(session, now.selection));
    } else if (!now.follow && now.selection !== null && now.selection !== before.selection) {
      const opens = now.comparing !== null && now.comparing === before.comparing;
      if (opens && session.compared?.first === now.selection) {
        said.push(compared(session, now.comparing)); // it opens there: one would be said over the other
      }
      said.push(described(session, now.selection, now.running));
    }
  }
  return said.filter(Boolean).join('. ');
}

function opening(session: SessionState): string {
  const { title, size, run } = session;
  const what = `Backward of ${title || 'a tensor'}: ${format.count(size, 'node')}`;
  const next = run.current === null ? '' : `, next ${nodeTitle(session, run.current)}`;
  return `${what}, ${run.status} at ${format.whole(run.position)} of ${format.whole(run.total)}${next}`;
}

/** Back at the node that the run is about. */
function backAt(session: SessionState, node: number | null): string {
  return node === null ? 'Nothing selected' : `Back at ${nodeTitle(session, node)}`;
}

/** A node that was chosen: how it stands, and what is wrong with it. */
function described(session: SessionState, node: number, running: number | null): string {
  const { fold } = session;
  const run = fold.knows(node) ? fold.node(node) : null;
  const state = run ? format.nodeState(run, format.whereRuns(running, run, node)) : '';
  const stale = staleIn(session, node);
  return `${nodeTitle(session, node)}${state && `, ${state}`}${stale && `. ${stale}`}`;
}

/** "MulBackward0 saved self, which is stale: add_ wrote version 1 through h, In [2], line 3". */
function staleIn(session: SessionState, node: number): string {
  const [value] = session.saved.of(node).filter(({ state }) => state === 'stale');
  return value
    ? `${nodeTitle(session, node)} saved ${value.name}, which is stale${byWhom(value)}`
    : '';
}

function byWhom({ culprit }: Saved): string {
  if (!culprit) {
    return '';
  }
  const { op, version, alias, place } = culprit;
  const through = alias ? ` through ${alias}` : '';
  return `: ${op} wrote version ${version}${through}${place ? `, ${format.place(place)}` : ''}`;
}

/** "branch 1 compared with original: 3 of 5 nodes differ, most MulBackward0". */
function compared(session: SessionState, name: string | null): string {
  const found = session.compared;
  if (name === null || found === null) {
    return 'Comparison ended';
  }
  const most = mostOf(found);
  const which = most ? `, most ${nodeTitle(session, most.node)}` : '';
  const { first } = found;
  const begin = first === null ? '' : `, first ${nodeTitle(session, first)}`;
  return `${pairText(found)}: ${summary(found)}${begin}${which}`;
}

function pairText(pair: Pair | null): string | null {
  return pair && `${pair.there} compared with ${pair.here}`;
}

function changed(
  before: readonly number[],
  now: readonly number[],
  session: SessionState
): readonly string[] {
  if (before === now) {
    return [];
  }
  const title = (node: number): string => nodeTitle(session, node);
  return [
    ...now
      .filter(node => !before.includes(node))
      .map(node => `Breakpoint set before ${title(node)}`),
    ...before.filter(node => !now.includes(node)).map(node => `No breakpoint before ${title(node)}`)
  ];
}

function same(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && a.every((value, i) => value === b[i]);
}
