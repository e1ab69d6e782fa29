/** Whether the numbers of nodes that a message refers to are those of nodes there are. */
import { Malformed } from './check';
import type { Graph, Run, Start, StepRecord, Storage, Update } from './model';

export function checkGraph(graph: Graph): void {
  const count = graph.nodes.length;
  graph.nodes.forEach((node, index) => {
    if (node.id !== index) {
      throw new Malformed(`${index}`, node.id).within('id').within(index).within('graph.nodes');
    }
    node.edges.forEach((edge, i) => {
      if (edge.node !== null && !isNode(edge.node, count)) {
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
  checkStorages(graph.storages, count);
}

export function checkStart(start: Start, count: number): void {
  if (start.current !== null) {
    known(start.current, count, 'start.current');
  }
  for (const { node } of [...start.ready, ...start.buffers]) {
    known(node, count, 'start');
  }
  start.skipped.forEach(node => known(node, count, 'start.skipped'));
}

export function checkRun(run: Run, count: number): void {
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

export function checkStorages(storages: readonly Storage[], count: number): void {
  for (const storage of storages) {
    for (const mark of storage.saves) {
      known(mark.node, count, 'storages.saves');
    }
  }
}

export function checkUpdate(update: Update, count: number): void {
  update.records.forEach(record => checkRecord(record, count));
  for (const change of update.changes) {
    change.saved.forEach(({ node }) => known(node, count, 'update.changes.saved'));
    checkStorages(change.opened ? [change.opened] : [], count);
  }
  update.breakpoints.forEach(node => known(node, count, 'update.breakpoints'));
}

function checkRecord({ visit, ready, arrived, readied, current }: StepRecord, count: number): void {
  known(visit.node, count, 'update.records.visit');
  for (const { node } of [ready, ...arrived, ...readied]) {
    known(node, count, 'update.records');
  }
  for (const { edge } of visit.routed) {
    if (edge.node !== null) {
      known(edge.node, count, 'update.records.visit.routed');
    }
  }
  if (current !== null) {
    known(current, count, 'update.records.current');
  }
}

function known(node: number, count: number, where: string): void {
  if (!isNode(node, count)) {
    throw new Malformed(`a node below ${count}`, node).within(where);
  }
}

function isNode(node: number, count: number): boolean {
  return node >= 0 && node < count;
}
