import { expect, test } from 'vitest';

import type { Difference } from '../../protocol';
import type { Compared } from '../../store';
import { differsIn, differsWithin, mostOf, STEPS, stepOf, stepText, summary } from './differing';
import type { Differs } from './differing';

function difference(
  node: number,
  relative: number | null,
  here: number | null = 1,
  there: number | null = 1
): Difference {
  return { node, relative, here, there, what: '' };
}

function compared(...differences: Difference[]): Compared {
  const nodes = new Map(differences.map(each => [each.node, each]));
  return {
    here: 'original',
    there: 'branch 1',
    nodes,
    total: nodes.size,
    first: null,
    text: '',
    unfinished: ''
  };
}

const NONE = compared();

test('each step of the scale begins where the legend says', () => {
  const steps = [0, 1e-9, 1e-4, 0.01, 0.0999, 0.1, 1, 40].map(relative =>
    stepOf(difference(0, relative))
  );
  expect(steps).toEqual([0, 1, 2, 3, 3, 4, 5, 5]);
  expect(stepOf(difference(0, Infinity, NaN, 1))).toBe('odd');
  expect(stepOf(difference(0, Infinity, 0, 1))).toBe('odd');
  expect(stepOf(difference(0, null, null, 1))).toBe('alone');
  expect(stepOf(difference(0, null, null, null))).toBeNull();
  expect(new Set(STEPS.map(stepText)).size).toBe(STEPS.length);
  expect(stepText(2)).toBe('0.01 % to 1 %');
});

test('how a node differs is said in letters and in words', () => {
  const said = (one: Difference) => {
    const { brief, words } = differsIn(one, NONE) as Differs;
    return [brief[0], words];
  };
  expect(said(difference(0, 0.414, 1, 1.4))).toEqual([
    'Δ 41.4 %',
    'differs by 41.4 % from original, 1 → 1.4'
  ]);
  expect(said(difference(0, 0))).toEqual(['same', 'same as on original']);
  expect(said(difference(0, Infinity, NaN, 0.7))).toEqual([
    'NaN → 0.7',
    'original → branch 1: NaN → 0.7'
  ]);
  expect(said(difference(0, null, 2, null))).toEqual(['only original', 'arrived only on original']);
  expect(differsIn(difference(0, null, null, null), NONE)).toBeNull();
});

test('a group says how many of its nodes differ, and the most', () => {
  const all = compared(difference(3, 2), difference(1, 0.5), difference(2, 0), difference(9, 5));
  const nodes = new Map(
    [...all.nodes].map(([node, each]) => [node, differsIn(each, all) as Differs])
  );
  expect(differsWithin(1, 4, nodes)).toMatchObject({
    step: 5,
    brief: ['2 of 3 differ, Δ 200 %', '2 of 3 differ']
  });
  expect(differsWithin(2, 3, nodes)?.words).toBe('all the same');
  expect(differsWithin(4, 8, nodes)).toBeNull();
  expect(summary(all)).toBe('3 of 4 nodes differ');
  expect(summary({ ...compared(difference(1, 2)), total: 9000 })).toBe(
    'more than 1 of 9,000 nodes differ'
  );
  expect(mostOf(compared(difference(1, 3), difference(2, Infinity, NaN, 1)))?.node).toBe(2);
  expect(mostOf(compared(difference(1, 0)))).toBeNull();
});
