import { expect, test } from 'vitest';

import { Player } from '../../../tests/player';
import { named, RECORDINGS } from '../../../tests/recordings';
import type { Recording } from '../../../tests/recordings';
import { fromSnapshot } from '../../store/session';
import { curvePoints } from './memoryCurve';

function heldAfter(recording: Recording, steps: number) {
  const kernel = new Player(recording);
  kernel.moveTo(steps);
  return fromSnapshot(kernel.snapshot(1), null).held;
}

/** Bytes of what each node saved, as the graph says. */
function saved({ snapshot: { graph } }: Recording, name: string): number {
  const values = graph.nodes[named(RECORDINGS.mlp, name)]?.saved ?? [];
  return values.reduce((sum, value) => sum + value.bytes, 0);
}

const { mlp } = RECORDINGS;

test('a storage saved twice counts once, and until the last lets go', () => {
  const { graph } = mlp.snapshot;
  const values = graph.nodes.flatMap(node => node.saved).filter(value => value.storage !== null);
  const storages = new Set(values.map(value => value.storage));
  expect(storages.size).toBeLessThan(values.length);
  const sizes = graph.storages.filter(({ id }) => storages.has(id)).map(({ bytes }) => bytes);
  const held = heldAfter(mlp, mlp.records.length);
  expect(held.steps[0]).toBe(sizes.reduce((sum, bytes) => sum + bytes, 0));
  expect(held.peak).toBe(held.steps[0]);
  expect(held.bytes).toBe(0);
  expect([...held.steps].sort((a, b) => b - a)).toEqual(held.steps);
});

test('tells who holds what now', () => {
  const first = named(mlp, 'AddmmBackward0');
  expect(heldAfter(mlp, 0).largest(1)).toEqual([
    { node: first, bytes: saved(mlp, 'AddmmBackward0') }
  ]);
  const later = heldAfter(mlp, 4);
  expect(later.byNode.has(first)).toBe(false);
  expect(later.largest(2).map(({ bytes }) => bytes)).toEqual(
    [...later.byNode.values()].sort((a, b) => b - a).slice(0, 2)
  );
});

test('a crowd of steps is thinned out, and no peak is lost', () => {
  const steps = Array.from({ length: 10_000 }, (_, i) => (i === 5001 ? 900 : i % 7));
  const points = curvePoints(steps);
  expect(points.length).toBeLessThan(700);
  expect(points).toContainEqual([5001, 900]);
  expect(points[0]?.[0]).toBe(0);
});
