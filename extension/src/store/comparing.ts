/** Two branches, or another run and this one, beside each other: which are compared, and what was told of it. */
import type { Branch, Differences, Edit } from '../protocol';
import type { Want } from './requestQueue';
import type { Compared, Pair } from './compared';
import type { RunHead, SessionState } from './session';
import type { ViewState, Wish } from './view';

/** What a person compares, if both are there. Another run is compared with the line that this one is on. */
export function pairOf({ run }: SessionState, { comparing }: ViewState): Pair | null {
  const { branches } = run;
  const given = branches.find(({ trace }) => trace);
  const wish: Wish | null =
    comparing === 'given' ? (given ? { there: given.name, here: null } : null) : comparing;
  const there = branches.find(({ name }) => name === wish?.there);
  if (!wish || !there) {
    return null;
  }
  const here = there.trace
    ? branches.find(({ current }) => current)
    : branches.find(({ name, trace }) => name === (wish.here ?? there.parent) && !trace);
  return here && here !== there ? { here: here.name, there: there.name } : null;
}

/** With what a branch can be compared. */
export function besides({ run }: SessionState, there: string): readonly string[] {
  const isTrace = run.branches.some(({ name, trace }) => name === there && trace);
  return run.branches
    .filter(({ name, trace, current }) => name !== there && !trace && (current || !isTrace))
    .map(({ name }) => name);
}

/** What was told of what a person compares; null as long as nothing was, and where nothing is compared. */
export function comparedOf(session: SessionState, view: ViewState): Compared | null {
  const pair = pairOf(session, view);
  const { compared } = session;
  return pair && compared?.here === pair.here && compared.there === pair.there ? compared : null;
}

/** The one to compare if nobody says which: where the run is, else the newest. */
export function toCompare({ run }: SessionState): Branch | null {
  const all = run.branches.filter(({ parent, trace }) => trace || parent !== '');
  return all.find(({ current }) => current) ?? all.at(-1) ?? null;
}

/** Has a branch run anything since it left the other? Nothing can be compared before. */
export function hasRun({ run }: SessionState, { current, left, recorded, trace }: Branch): boolean {
  return trace || (current ? run.recorded : recorded) > left;
}

/** The user's changes on the current branch, as far as the run has come. */
export function editsOf({ branches, position }: RunHead): readonly Edit[] {
  const edits = branches.find(({ current }) => current)?.edits ?? NO_EDITS;
  return edits.some(edit => edit.position > position)
    ? edits.filter(edit => edit.position <= position)
    : edits;
}

const NO_EDITS: readonly Edit[] = [];

/** What was run stays as it is: it is asked again when more was. */
export function comparison(session: SessionState, view: ViewState): Want | null {
  const pair = pairOf(session, view);
  const { run } = session;
  const runs = run.branches.map(({ current, recorded }) => (current ? run.recorded : recorded));
  return (
    pair && {
      request: {
        type: 'get_differences',
        session: session.session,
        name: pair.there,
        other: pair.here
      },
      about: runs.join()
    }
  );
}

export function comparedIn(pair: Pair, told: Differences): Compared {
  const { differences, total, first, text, unfinished } = told;
  const nodes = new Map(differences.map(each => [each.node, each]));
  return { ...pair, total, first, text, unfinished, nodes };
}
