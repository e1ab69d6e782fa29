/** How a person looks at the session. Only `folding` is sent to the kernel, which draws accordingly. */
import type { ArrayKind, Folding, GetPart } from '../protocol';
import type { SessionState } from './session';

export interface ViewState {
  /** The node that is shown in the inspector, ringed in the graph and marked in the code. */
  readonly selection: number | null;
  /** Nodes that belong together with it, such as those of one line: found like those of a search. */
  readonly together: ReadonlySet<number>;
  /** The selection is the node that the run is about, and goes along with it; else a person chose it. */
  readonly follow: boolean;
  readonly folding: ViewFolding;
  /** Which groups of the lane beside the graph are open by hand. */
  readonly lane: Folding;
  readonly looking: Looking | null;
  readonly search: Search | null;
  /** Two lines of the run beside each other. "given": another run, if one was laid beside this one. */
  readonly comparing: Wish | 'given' | null;
  /** Colours say how large gradients are; null: as a person prefers it. */
  readonly heated: boolean | null;
  readonly help: boolean;
  /** The memory of the whole notebook is shown. */
  readonly heap: boolean;
  /** Everything is drawn larger, for a projector. */
  readonly presentation: boolean;
}

/** An array of the selected node that is gone through, and which part of it. */
export interface Looking {
  readonly kind: ArrayKind;
  readonly nr: number;
  readonly name: string;
  /** Whose part is chosen: the same array of another node is shown whole. */
  readonly node: number | null;
  readonly at: readonly (number | null)[];
  readonly rows: readonly [number, number] | null;
  readonly columns: readonly [number, number] | null;
}

/** Which are to be compared: `there` with `here`; null: with the one that it left. */
export interface Wish {
  readonly there: string;
  readonly here: string | null;
}

export interface Search {
  readonly query: string;
  /** Which of the matches is shown. */
  readonly index: number;
}

/** Groups that were opened and closed by hand, cells that were chosen, and a node that is to be seen. */
export interface ViewFolding {
  readonly opened: ReadonlySet<number>;
  readonly closed: ReadonlySet<number>;
  /** By group: the one of its equal children that is shown. */
  readonly cells: ReadonlyMap<number, number>;
  readonly near: number | null;
}

/** What a person does about it. */
export interface FoldChange {
  readonly open?: Iterable<number>;
  readonly close?: Iterable<number>;
  /** Show this one of the equal children of an open group; null: as many as there is room for. */
  readonly cell?: { readonly group: number; readonly cell: number | null };
  readonly near?: number | null;
}

export const UNFOLDED: ViewFolding = {
  opened: new Set(),
  closed: new Set(),
  cells: new Map(),
  near: null
};

const NONE: ReadonlySet<number> = new Set();

export const INITIAL_VIEW: ViewState = {
  selection: null,
  together: NONE,
  follow: true,
  folding: UNFOLDED,
  lane: { opened: [], closed: [], cells: [], near: null },
  looking: null,
  search: null,
  comparing: 'given',
  heated: null,
  help: false,
  heap: false,
  presentation: false
};

/** `session` is what is shown: a group that is closed by hand need not show the node that it hides. */
export function refolded(
  folding: ViewFolding,
  change: FoldChange,
  session: Pick<SessionState, 'drawing' | 'size' | 'leaves'> | null = null
): ViewFolding {
  const opened = new Set(folding.opened);
  const closed = new Set(folding.closed);
  const cells = new Map(folding.cells);
  for (const group of change.open ?? []) {
    opened.add(group);
    closed.delete(group);
  }
  for (const group of change.close ?? []) {
    closed.add(group);
    opened.delete(group);
  }
  const { cell } = change;
  if (cell) {
    if (cell.cell === null) {
      cells.delete(cell.group);
    } else {
      cells.set(cell.group, cell.cell);
    }
  }
  const near = change.near === undefined ? stillNear(folding.near, change, session) : change.near;
  return { opened, closed, cells, near };
}

/** Does the kernel's drawing show it so? */
export function isDrawn(session: SessionState, { folding }: ViewState): boolean {
  return JSON.stringify(session.folding) === JSON.stringify(foldingSent(folding));
}

function stillNear(
  near: number | null,
  { close = [] }: FoldChange,
  session: Pick<SessionState, 'drawing' | 'size' | 'leaves'> | null
): number | null {
  if (near === null || session === null) {
    return near;
  }
  const closed = new Set(close);
  const { drawing, size, leaves } = session;
  const hides = drawing.groups.some(
    ({ id, first, last }) =>
      closed.has(id) && (near >= size - leaves || (first <= near && near < last))
  );
  return hides ? null : near;
}

/** As the kernel reads it: equal ones are written alike. */
export function foldingSent({ opened, closed, cells, near }: ViewFolding): Folding {
  const inOrder = (groups: Iterable<number>): number[] => [...groups].sort((a, b) => a - b);
  return {
    opened: inOrder(opened),
    closed: inOrder(closed),
    cells: inOrder(cells.keys()).map(group => ({ group, cell: cells.get(group) as number })),
    near
  };
}

/** What is asked of the kernel, to see this; null where no node is selected. */
export function partAsked(
  session: string,
  { looking, selection: node }: ViewState
): Omit<GetPart, 'request'> | null {
  if (looking === null || node === null) {
    return null;
  }
  const { kind, nr, name } = looking;
  const whole = looking.node !== node;
  return {
    type: 'get_part',
    session,
    of: { node, kind, nr, name },
    at: whole ? [] : looking.at,
    rows: whole ? null : looking.rows,
    columns: whole ? null : looking.columns
  };
}
