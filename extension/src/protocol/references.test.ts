import { describe, expect, test } from 'vitest';

import { RECORDINGS } from '../../tests/recordings';
import type { RecordedView } from '../../tests/recordings';
import { Malformed } from './check';
import { checkDrawing, checkStanding, checkUpdate } from './references';
import type { Update } from './model';

type Path = readonly (string | number)[];

const [, , open] = RECORDINGS.loop.views as [RecordedView, RecordedView, RecordedView];
const size = open.shown.nodes;
const [update] = RECORDINGS.loop.updates as [Update];

/** A copy with something else at `path`; what is there must exist. */
function changed<T>(of: T, path: Path, value: unknown): T {
  const copy = structuredClone(of);
  const last = path[path.length - 1] as string;
  const inner = path.slice(0, -1).reduce<unknown>((at, key) => {
    return (at as Record<string, unknown>)[key];
  }, copy) as Record<string, unknown>;
  expect(inner).toHaveProperty([last]);
  inner[last] = value;
  return copy;
}

const place = (kind: string): number => open.drawing.boxes.findIndex(box => box.kind === kind);
const [node, pin, cells, result] = ['node', 'pin', 'cells', 'result'].map(place) as [
  number,
  number,
  number,
  number
];

test('what a kernel tells is refused nowhere', () => {
  for (const { views, updates } of Object.values(RECORDINGS)) {
    for (const { shown, drawing, standings } of views) {
      checkDrawing(drawing, shown.nodes);
      standings.forEach(standing => checkStanding(standing, drawing, shown.nodes));
      updates.forEach(each => checkUpdate(each, shown.nodes));
    }
  }
});

describe('a drawing', () => {
  const cases: [string, Path, unknown][] = [
    ['a node with a number beyond', ['nodes', 0, 'id'], size],
    ['an edge to nowhere', ['nodes', 0, 'edges', 0, 'node'], size],
    ['an edge before the first', ['nodes', 0, 'edges', 0, 'node'], -1],
    ['a group in itself', ['groups', 0, 'parent'], 0],
    ['a group in one that is not told of', ['groups', 0, 'parent'], 99],
    ['a group of nobody', ['groups', 0, 'last'], 0],
    ['a group of more than there is', ['groups', 0, 'last'], size + 1],
    ['a frame in itself', ['frames', 0, 'parent'], 0],
    ['a frame in one that comes later', ['frames', 0, 'parent'], 1],
    ['a frame of no group', ['frames', 0, 'group'], 99],
    ['a cell before the first', ['frames', 0, 'cell'], -1],
    ['a box in no frame', ['boxes', node, 'frame'], 99],
    ['a box of a node that is not told of', ['boxes', node, 'node'], 50],
    ['a box of nothing', ['boxes', node, 'node'], null],
    ['a pin of a user beyond', ['boxes', pin, 'user'], size],
    ['cells of no group', ['boxes', cells, 'group'], 99],
    ['cells of nobody', ['boxes', cells, 'last'], 0],
    ['cells before the first', ['boxes', cells, 'first'], -1],
    ['a result of a node beyond', ['boxes', result, 'node'], size],
    ['a line from no box', ['lines', 0, 'source'], 99],
    ['a line to no box', ['lines', 0, 'target'], -1],
    ['a line of a node beyond', ['lines', 0, 'node'], size],
    ['a line that breaks off', ['lines', 0, 'points'], [0, 0, 1, 1]],
    ['a line without a start', ['lines', 0, 'points'], []]
  ];
  test.each(cases)('with %s is refused', (_, path, value) => {
    const drawing = changed(open.drawing, path, value);
    expect(() => checkDrawing(drawing, size)).toThrow(Malformed);
  });
});

describe('a standing', () => {
  const standing = open.standings.get(17);
  const cases: [string, Path, unknown][] = [
    ['fewer nodes than are drawn', ['nodes'], []],
    ['fewer boxes than are drawn', ['boxes'], []],
    ['fewer frames than are drawn', ['frames'], []],
    ['fewer states than there are', ['counts'], [1]],
    ['no tally of cells', ['boxes', cells], null],
    ['a tally of a node', ['boxes', node], standing?.boxes[cells]],
    ['fewer cells that ran than cells', ['boxes', cells, 'firsts'], []],
    ['a cell where nobody ran first', ['boxes', cells, 'firsts', 0], size],
    ['a flow over no line', ['flows', 0, 'line'], 99],
    ['a flow from nobody', ['flows', 0, 'node'], size],
    ['a current node that is none', ['current'], size],
    ['a breakpoint on no node', ['breakpoints'], [size]],
    ['a node in the queue that is not there', ['ready', 0, 'node'], size],
    ['a buffer of nobody', ['buffers', 0, 'node'], size],
    ['the name of nobody', ['names', 0, 'node'], size],
    ['a save by nobody', ['storages', 0, 'saves', 0, 'node'], size]
  ];
  test.each(cases)('with %s is refused', (_, path, value) => {
    const other = changed(standing, path, value);
    expect(other && (() => checkStanding(other, open.drawing, size))).toThrow(Malformed);
  });
});

describe('an update', () => {
  const cases: [string, Path, unknown][] = [
    ['a visit of nobody', ['records', 0, 'visit', 'node'], size],
    ['a gradient to nobody', ['records', 0, 'visit', 'routed', 0, 'edge', 'node'], size],
    ['an arrival at nobody', ['records', 0, 'arrived', 0, 'node'], -1],
    ['a ready node that is not there', ['records', 0, 'readied', 0, 'node'], size],
    ['a current node that is none', ['records', 0, 'current'], size],
    ['a breakpoint on no node', ['breakpoints'], [size]],
    ['the name of nobody', ['names', 0, 'node'], size]
  ];
  test.each(cases)('with %s is refused', (_, path, value) => {
    expect(() => checkUpdate(changed(update, path, value), size)).toThrow(Malformed);
  });
});
