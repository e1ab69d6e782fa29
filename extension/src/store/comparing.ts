/** Two branches beside each other, node by node: which are compared, and what was told of it. */
import type { Branch, Difference, Differences } from '../protocol';
import type { Want } from './asking';
import type { SessionState } from './session';
import type { ViewState } from './view';

/** Which two: `there` left `here`. */
export interface Pair {
  readonly here: string;
  readonly there: string;
}

export interface Compared extends Pair {
  /** By node, of those that one of them has run since they parted: those that differ most. */
  readonly nodes: ReadonlyMap<number, Difference>;
  /** How many there are of these nodes. */
  readonly total: number;
}

/** What a person compares, if both are there. */
export function pairOf({ run }: SessionState, { comparing }: ViewState): Pair | null {
  const branch = run.branches.find(({ name, parent }) => name === comparing && parent !== '');
  return branch ? { here: branch.parent, there: branch.name } : null;
}

/** What was told of what a person compares; null as long as nothing was, and where nothing is compared. */
export function comparedOf(session: SessionState, view: ViewState): Compared | null {
  const pair = pairOf(session, view);
  const { compared } = session;
  return pair && compared?.here === pair.here && compared.there === pair.there ? compared : null;
}

/** The one to compare if nobody says which: where the run is, else the newest. */
export function toCompare({ run }: SessionState): Branch | null {
  const all = run.branches.filter(({ parent }) => parent !== '');
  return all.find(({ current }) => current) ?? all.at(-1) ?? null;
}

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

export function comparedIn(pair: Pair, { differences, total }: Differences): Compared {
  return { ...pair, total, nodes: new Map(differences.map(each => [each.node, each])) };
}
