// Made by `make types` from vizgrad/debugger/jupyter/widget/protocol/requests.py: do not edit.
/** The requests of the browser about a session, and which. */
import type { ArrayName } from './model/arrays';
import type { Folding } from './drawing';

/** Which sessions exist? Answered by `Sessions`. */
export interface ListSessions {
  readonly type: 'list_sessions';
  readonly request: number;
}

/**
 * Send me the events of `session` (None: the newest), and what is to be seen of it.
 *
 * `view`: the widget in whose place this shows it (`SavedView.view`).
 */
export interface Attach {
  readonly type: 'attach';
  readonly request: number;
  readonly session: string | null;
  readonly folding: Folding;
  readonly view: string;
}

/** I show no session any more: one that nobody holds may go. */
export interface Detach {
  readonly type: 'detach';
  readonly request: number;
}

/** What is to be seen of it, so folded? The drawing `digest` is there already. */
export interface Look {
  readonly type: 'look';
  readonly request: number;
  readonly session: string;
  readonly folding: Folding;
  readonly digest: string;
}

/** What was told after `revision`? */
export interface Since {
  readonly type: 'since';
  readonly request: number;
  readonly session: string;
  readonly revision: number;
}

/**
 * Nodes whose name, variable, scope or source place has `query` in it (`*` stands for anything).
 */
export interface Find {
  readonly type: 'find';
  readonly request: number;
  readonly session: string;
  readonly query: string;
}

/** What are these nodes called? */
export interface GetNames {
  readonly type: 'get_names';
  readonly request: number;
  readonly session: string;
  readonly nodes: readonly number[];
}

/** Which nodes were run at positions `first` ... `first + count - 1`? */
export interface GetVisits {
  readonly type: 'get_visits';
  readonly request: number;
  readonly session: string;
  readonly first: number;
  readonly count: number;
}

/** What do saved values hold, now and step by step? */
export interface GetMemory {
  readonly type: 'get_memory';
  readonly request: number;
  readonly session: string;
}

/** The timelines of all storages of the graph, at most `most`. */
export interface GetStorages {
  readonly type: 'get_storages';
  readonly request: number;
  readonly session: string;
  readonly most: number;
}

/**
 * Tell me the lines of whichever session is moved, from now on; `session`: of this one first, which
 * a person looks at.
 */
export interface FollowLines {
  readonly type: 'follow_lines';
  readonly request: number;
  readonly session: string | null;
}

/** The message with this number has arrived: more may be sent at once. */
export interface LinesSeen {
  readonly type: 'lines_seen';
  readonly request: number;
  readonly number: number;
}

/** Which nodes has this line (its number in `Lines.lines`) recorded? */
export interface GetLineNodes {
  readonly type: 'get_line_nodes';
  readonly request: number;
  readonly session: string;
  readonly line: number;
}

/** Which line has recorded this node? */
export interface GetNodeLine {
  readonly type: 'get_node_line';
  readonly request: number;
  readonly session: string;
  readonly node: number;
}

/**
 * What stands in this file (`CodeFile.file`)? Only files that recorded nodes of the session are
 * allowed, or that of the line which comes next within a node.
 */
export interface GetSource {
  readonly type: 'get_source';
  readonly request: number;
  readonly session: string;
  readonly file: string;
}

/** What is a notebook to show that is read without a kernel? */
export interface GetPicture {
  readonly type: 'get_picture';
  readonly request: number;
  readonly session: string;
}

/** All about one node. */
export interface Inspect {
  readonly type: 'inspect';
  readonly request: number;
  readonly session: string;
  readonly node: number;
}

/**
 * A part of an array: `at` these indices of its leading dimensions (see `Part`), and of the matrix
 * that this is these rows and columns (first, and behind the last; None: all).
 */
export interface GetPart {
  readonly type: 'get_part';
  readonly request: number;
  readonly session: string;
  readonly of: ArrayName;
  readonly at: readonly (number | null)[];
  readonly rows: readonly [number, number] | null;
  readonly columns: readonly [number, number] | null;
}
