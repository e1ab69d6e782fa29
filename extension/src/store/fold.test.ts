import { describe, expect, test } from 'vitest';

import { RECORDINGS } from '../../tests/recordings';
import type { Recording } from '../../tests/recordings';
import type { Run } from '../protocol';
import { DoesNotFollow, edgeKey, Fold } from './fold';

/** Everything of a run that is folded. */
function told(run: Run) {
  return {
    position: run.position,
    current: run.current,
    nodes: run.nodes,
    ready: run.ready,
    buffers: run.buffers,
    flows: new Map(run.edges.map(({ node, edge, norm }) => [edgeKey(node, edge), norm]))
  };
}

function folded(fold: Fold): ReturnType<typeof told> {
  return {
    position: fold.position,
    current: fold.current,
    nodes: Array.from({ length: fold.size }, (_, node) => fold.node(node)),
    ready: fold.queue,
    buffers: fold.waiting,
    flows: fold.flows
  };
}

/** Counts are kept from step to step: they must be those of the whole. */
function checkCounts(fold: Fold): void {
  const nodes = Array.from({ length: fold.size }, (_, node) => fold.node(node));
  for (const state of ['waiting', 'ready', 'current', 'done', 'skipped'] as const) {
    expect(fold.count(state)).toBe(nodes.filter(node => node.state === state).length);
  }
  const partial = nodes.flatMap(({ state, delivered }, id) =>
    state === 'waiting' && delivered > 0 ? [id] : []
  );
  expect([...fold.partial].sort((a, b) => a - b)).toEqual(partial);
}

function start({ snapshot: { start, graph } }: Recording): Fold {
  return new Fold(start, graph.nodes.length);
}

function go(fold: Fold, { records }: Recording, position: number): void {
  while (fold.position < position) {
    fold.apply(records[fold.position] as (typeof records)[number]);
  }
  while (fold.position > position) {
    fold.unapply(records[fold.position - 1] as (typeof records)[number]);
  }
}

describe.each(Object.entries(RECORDINGS))('%s', (_, recording) => {
  const { records, runs, snapshot } = recording;
  const positions = Array.from({ length: records.length + 1 }, (_, i) => i);

  test('folds to what the session told, there, back and there again', () => {
    const fold = start(recording);
    let compared = 0;
    for (const position of [...positions, ...positions.toReversed(), ...positions]) {
      go(fold, recording, position);
      const run = runs.get(position);
      if (run) {
        expect(folded(fold)).toEqual(told(run));
        compared++;
      }
      checkCounts(fold);
    }
    expect(compared).toBeGreaterThan(9);
  });

  test('goes on from any state that was told as a whole', () => {
    for (const [position, run] of runs) {
      for (const other of [0, records.length, position]) {
        const fold = Fold.of(snapshot.start, run, []);
        expect(folded(fold)).toEqual(told(run));
        go(fold, recording, other);
        expect(folded(fold)).toEqual(told(runs.get(other) as Run));
        checkCounts(fold);
      }
    }
  });

  test('refuses what does not follow, and changes nothing', () => {
    const fold = start(recording);
    const [first, second] = records;
    go(fold, recording, 1);
    const before = JSON.stringify(folded(fold));
    for (const record of [first, records[2]]) {
      expect(() => fold.apply(record as (typeof records)[number])).toThrow(DoesNotFollow);
    }
    expect(() => fold.unapply(second as (typeof records)[number])).toThrow(DoesNotFollow);
    expect(JSON.stringify(folded(fold))).toBe(before);
  });
});

test('a node that a step does not concern keeps its object', () => {
  const recording = RECORDINGS.mlp;
  const fold = start(recording);
  const nodes = () => Array.from({ length: fold.size }, (_, node) => fold.node(node));
  const before = nodes();
  go(fold, recording, 1);
  expect(nodes().filter((node, i) => node !== before[i])).toHaveLength(2);
});
