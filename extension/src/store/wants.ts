/** What the view wants to know, by what it shows. */
import type { Want } from './requestQueue';
import { comparison } from './comparing';
import { laneWanted } from './lanes';
import type { Window } from './history';
import { ranksWanted } from './ranks';
import type { RevisionTracker } from './revisionTracker';
import type { SessionState } from './session';
import { shows } from './state';
import type { DebuggerState } from './state';
import { foldingSent, isDrawn, partAsked } from './view';
import type { ViewState } from './view';

/** What is open in the panels: nobody is asked for what nobody looks at. */
export interface Watched {
  /** The visits that are listed. */
  visits: Window | null;
  memory: boolean;
  /** The watch list. */
  watches: boolean;
  /** All storages, not only those that something happened to. */
  storages: boolean;
}

/** At most so many names, visits and storages are asked for at once: the kernel does not tell more. */
const NAMES = 200;
const VISITS = 1000;
const STORAGES = 1000;

export function wantsOf(
  state: DebuggerState,
  watched: Watched,
  revisions: RevisionTracker
): Want[] {
  const { session, view } = state;
  if (session === null) {
    return [];
  }
  const { revision } = session;
  const about = { session: session.session };
  const wants: (Want | null)[] = [
    read(session, view, revisions),
    inspected(state, session),
    batch(session.names.missing(NAMES), nodes => ({
      request: { type: 'get_names', ...about, nodes }
    })),
    visits(session, view, watched),
    watched.memory && (session.memory?.revision ?? 0) < revision
      ? { request: { type: 'get_memory', ...about }, about: `${revision}` }
      : null,
    watched.watches && (session.watches?.revision ?? 0) < revision
      ? { request: { type: 'get_watches', ...about }, about: `${revision}` }
      : null,
    watched.visits !== null && (session.log?.total ?? 0) < session.run.logged
      ? { request: { type: 'get_log', ...about }, about: `${session.run.logged}` }
      : null,
    watched.storages && session.storages.untold > 0
      ? { request: { type: 'get_storages', ...about, most: STORAGES } }
      : null,
    part(state, session),
    comparison(session, view),
    laneWanted(session, view),
    ranksWanted(session, view, state.ranks),
    found(session, view)
  ];
  return wants.filter(want => want !== null);
}

/** What is missing between what is shown and what was heard of, or how it is to be drawn now. */
function read(session: SessionState, view: ViewState, revisions: RevisionTracker): Want | null {
  const { revision, drawing } = session;
  const about = { session: session.session };
  const question = revisions.question(revision);
  if (question === 'look' || session.undrawn || !isDrawn(session, view)) {
    const folding = foldingSent(view.folding);
    return {
      request: { type: 'look', ...about, folding, digest: drawing.digest },
      about: `${revision} ${revisions.heard}`
    };
  }
  return question === 'since' ? { request: { type: 'since', ...about, revision } } : null;
}

function inspected({ inspection, view }: DebuggerState, session: SessionState): Want | null {
  const { selection: node } = view;
  const { revision } = session;
  if (node === null || (inspection?.node.id === node && inspection.revision >= revision)) {
    return null;
  }
  // A closed session still answers: its last state stays readable.
  return {
    request: { type: 'inspect', session: session.session, node },
    about: `${revision}`
  };
}

/** What is gone through is asked for again after each change: it may be another array by then. */
function part({ view, part }: DebuggerState, { session, revision }: SessionState): Want | null {
  const request = partAsked(session, view);
  if (request === null || (part !== null && shows(part, request) && part.revision >= revision)) {
    return null;
  }
  return { request, about: `${revision}` };
}

/** Those that are listed, and the one that led here if the selection is to be its node. */
function visits(session: SessionState, view: ViewState, watched: Watched): Want | null {
  const { history, run } = session;
  const last = { first: run.position - 1, count: view.follow && run.position > 0 ? 1 : 0 };
  for (const { first, count } of watched.visits ? [watched.visits, last] : [last]) {
    const from = Math.max(first, 0);
    const to = Math.min(first + count, run.recorded);
    const unknown = history.missing({ first: from, count: to - from });
    if (unknown) {
      return {
        request: {
          type: 'get_visits',
          session: session.session,
          first: unknown.first,
          count: Math.min(unknown.count, VISITS)
        }
      };
    }
  }
  return null;
}

function found({ session, found }: SessionState, { search }: ViewState): Want | null {
  const query = search?.query.trim() ?? '';
  return query === '' || found?.query === query
    ? null
    : { request: { type: 'find', session, query } };
}

function batch(nodes: readonly number[], make: (nodes: readonly number[]) => Want): Want | null {
  return nodes.length > 0 ? make(nodes) : null;
}
