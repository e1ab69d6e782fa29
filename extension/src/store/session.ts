/** One session as the view knows it, and how each answer of the kernel changes that. */
import type { Graph, Node, NodeRun, Run, Saved, SavedRun, Snapshot, Storage } from '../protocol';
import type { Versions } from '../protocol';

export interface SessionState {
  readonly session: string;
  readonly revision: number;
  readonly graph: Graph;
  /**
   * The same graph as far as its shape goes, and the same object for as long as the shape stays:
   * layout depends on this one, so that nothing moves when only values changed.
   */
  readonly structure: Graph;
  readonly run: Run;
  /** Saved values of each node as they are now: the graph's, with the run's changes applied. */
  readonly saved: ReadonlyMap<number, readonly Saved[]>;
  /** `history[i]` is the node of visit `i`, for every visit seen so far, undone ones included. */
  readonly history: readonly (number | undefined)[];
  /** Gradients that went over edges: norm by `edgeKey`; null: undefined gradient. */
  readonly flows: ReadonlyMap<number, number | null>;
  readonly closed: boolean;
}

const EDGES_PER_NODE = 2 ** 20;

/** One number for edge `edge` of node `node`. */
export function edgeKey(node: number, edge: number): number {
  return node * EDGES_PER_NODE + edge;
}

export function fromSnapshot(snapshot: Snapshot, previous: SessionState | null): SessionState {
  const { session, revision, graph, run } = snapshot;
  const same = previous?.session === session && sameGraph(previous.graph, graph);
  const before = same ? previous : null;
  return {
    session,
    revision,
    graph,
    structure: before?.structure ?? graph,
    run: shareNodes(run, before?.run ?? null),
    saved: applySaved(graph, run.saved, before?.saved ?? new Map()),
    history: extendHistory(run, before?.history ?? []),
    flows: flowsOf(run),
    closed: run.status === 'closed'
  };
}

/** The run moved. The caller has checked that the revision follows and the node counts agree. */
export function withRun(state: SessionState, revision: number, run: Run): SessionState {
  return {
    ...state,
    revision,
    run: shareNodes(run, state.run),
    saved: applySaved(state.graph, run.saved, state.saved),
    history: extendHistory(run, state.history),
    flows: flowsOf(run),
    closed: state.closed || run.status === 'closed'
  };
}

/** Storages were written outside a step: `storages` are those that changed. */
export function withVersions(state: SessionState, versions: Versions): SessionState {
  const changed = new Map(versions.storages.map(storage => [storage.id, storage]));
  const storages: Storage[] = state.graph.storages.map(old => changed.get(old.id) ?? old);
  const known = new Set(storages.map(storage => storage.id));
  for (const storage of versions.storages) {
    if (!known.has(storage.id)) {
      storages.push(storage);
    }
  }
  const graph = { ...state.graph, storages };
  return withRun({ ...state, graph }, versions.revision, versions.run);
}

/** The node whose visit led to the present position; before the first visit, the next one. */
export function followed(state: SessionState): number | null {
  const { position, current } = state.run;
  return position > 0 ? (state.history[position - 1] ?? current) : current;
}

function sameGraph(a: Graph, b: Graph): boolean {
  return (
    a.nodes.length === b.nodes.length &&
    a.nodes.every((node, i) => {
      const other = b.nodes[i] as Node;
      return (
        node.name === other.name &&
        node.sequence_nr === other.sequence_nr &&
        node.saved.length === other.saved.length &&
        node.edges.length === other.edges.length &&
        node.edges.every((edge, k) => edge.node === other.edges[k]?.node)
      );
    })
  );
}

/** Keep the old object of every node whose run did not change, so that its drawing need not. */
function shareNodes(run: Run, previous: Run | null): Run {
  if (previous?.nodes.length !== run.nodes.length) {
    return run;
  }
  const nodes = run.nodes.map((node, i) => {
    const old = previous.nodes[i] as NodeRun;
    return sameRun(node, old) ? old : node;
  });
  return { ...run, nodes };
}

function sameRun(a: NodeRun, b: NodeRun): boolean {
  return (
    a.state === b.state &&
    a.delivered === b.delivered &&
    a.needed === b.needed &&
    a.order === b.order &&
    a.reason === b.reason &&
    Object.is(a.grad_norm, b.grad_norm)
  );
}

function flowsOf(run: Run): ReadonlyMap<number, number | null> {
  return new Map(run.edges.map(({ node, edge, norm }) => [edgeKey(node, edge), norm]));
}

function extendHistory(run: Run, previous: SessionState['history']): SessionState['history'] {
  // Visits beyond `recorded` belonged to a run that was restarted or took another branch.
  const history = previous.slice(0, run.recorded);
  run.nodes.forEach((node, id) => {
    if (node.order !== null) {
      history[node.order] = id;
    }
  });
  return history;
}

function applySaved(
  graph: Graph,
  changes: readonly SavedRun[],
  previous: SessionState['saved']
): SessionState['saved'] {
  const byNode = new Map<number, Map<string, SavedRun>>();
  for (const change of changes) {
    const names = byNode.get(change.node) ?? new Map<string, SavedRun>();
    byNode.set(change.node, names.set(change.name, change));
  }
  const out = new Map<number, readonly Saved[]>();
  for (const node of graph.nodes) {
    if (node.saved.length === 0) {
      continue;
    }
    const names = byNode.get(node.id);
    const old = previous.get(node.id);
    const now = names ? node.saved.map(saved => changed(saved, names.get(saved.name))) : node.saved;
    out.set(node.id, old && sameSaved(old, now) ? old : now);
  }
  return out;
}

function changed(saved: Saved, change: SavedRun | undefined): Saved {
  if (!change) {
    return saved;
  }
  const { state, version_now, culprit } = change;
  return { ...saved, state, version_now, culprit: culprit ?? saved.culprit };
}

function sameSaved(a: readonly Saved[], b: readonly Saved[]): boolean {
  return (
    a === b ||
    (a.length === b.length &&
      a.every((saved, i) => {
        const other = b[i] as Saved;
        return (
          saved.name === other.name &&
          saved.state === other.state &&
          saved.version_now === other.version_now
        );
      }))
  );
}
