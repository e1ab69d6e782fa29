/** From whatever arrived on the comm to an `Answer`, or a `Malformed` that says what is wrong. */
import { array, integer, Malformed, natural, nullable, optional, record, string } from './check';
import type { Reader } from './check';
import type * as message from './messages';
import type { Graph, Run } from './model';
import {
  readGraph,
  readNode,
  readRun,
  readStorage,
  readTensorSummary,
  readVisit
} from './readModel';

function typed<T extends string>(name: T): Reader<T> {
  return () => name;
}

const readers: Record<message.Answer['type'], Reader<message.Answer>> = {
  sessions: record<message.Sessions>({
    type: typed('sessions'),
    request: optional(natural, 0),
    sessions: array(
      record<message.SessionInfo>({
        session: string,
        title: string,
        status: string,
        position: natural,
        total: natural
      })
    ),
    vizgrad_version: string,
    protocol_version: optional(integer, 1)
  }),
  snapshot: record<message.Snapshot>({
    type: typed('snapshot'),
    request: optional(natural, 0),
    session: string,
    revision: natural,
    graph: readGraph,
    run: readRun
  }),
  state: record<message.State>({
    type: typed('state'),
    request: optional(natural, 0),
    session: string,
    revision: natural,
    run: readRun
  }),
  versions: record<message.Versions>({
    type: typed('versions'),
    session: string,
    revision: natural,
    storages: array(readStorage),
    run: readRun
  }),
  inspection: record<message.Inspection>({
    type: typed('inspection'),
    request: optional(natural, 0),
    session: string,
    revision: natural,
    node: readNode,
    visit: nullable(readVisit),
    buffers: array(nullable(readTensorSummary)),
    grad: optional(nullable(readTensorSummary), null)
  }),
  failed: record<message.Failed>({
    type: typed('failed'),
    request: natural,
    message: string,
    session: optional(nullable(string), null)
  }),
  closed: record<message.Closed>({
    type: typed('closed'),
    session: string,
    revision: natural
  })
};

/**
 * Check one message. Throws `Malformed` if it is not what the protocol says; references between
 * its parts (an edge to a node that does not exist) are checked too, so that whoever draws the
 * graph may follow them blindly.
 */
export function readAnswer(value: unknown): message.Answer {
  const type =
    typeof value === 'object' && value !== null ? (value as { type?: unknown }).type : undefined;
  if (typeof type !== 'string' || !Object.hasOwn(readers, type)) {
    throw new Malformed(`one of ${Object.keys(readers).join(', ')}`, type).within('type');
  }
  try {
    const answer = readers[type as message.Answer['type']](value);
    if (answer.type === 'snapshot') {
      checkGraph(answer.graph);
      checkRun(answer.run, answer.graph.nodes.length);
    } else if (answer.type === 'state' || answer.type === 'versions') {
      checkRun(answer.run, answer.run.nodes.length);
    }
    return answer;
  } catch (error) {
    throw error instanceof Malformed ? error.within(type) : error;
  }
}

function checkGraph(graph: Graph): void {
  const count = graph.nodes.length;
  graph.nodes.forEach((node, index) => {
    if (node.id !== index) {
      throw new Malformed(`${index}`, node.id).within('id').within(index).within('graph.nodes');
    }
    node.edges.forEach((edge, i) => {
      if (edge.node !== null && edge.node >= count) {
        throw new Malformed(`a node below ${count}`, edge.node)
          .within(i)
          .within('edges')
          .within(index)
          .within('graph.nodes');
      }
    });
  });
  for (const [node] of graph.roots) {
    known(node, count, 'graph.roots');
  }
  for (const storage of graph.storages) {
    for (const mark of storage.saves) {
      known(mark.node, count, 'graph.storages.saves');
    }
  }
}

function checkRun(run: Run, count: number): void {
  if (run.nodes.length !== count) {
    throw new Malformed(`${count} entries`, run.nodes).within('run.nodes');
  }
  if (run.current !== null) {
    known(run.current, count, 'run.current');
  }
  for (const list of [run.ready, run.buffers, run.edges, run.saved] as const) {
    for (const entry of list) {
      known(entry.node, count, 'run');
    }
  }
  for (const node of run.breakpoints) {
    known(node, count, 'run.breakpoints');
  }
}

function known(node: number, count: number, where: string): void {
  if (node >= count) {
    throw new Malformed(`a node below ${count}`, node).within(where);
  }
}
