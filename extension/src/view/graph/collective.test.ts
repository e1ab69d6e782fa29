import { expect, test } from 'vitest';

import type { DrawnCollective } from '../../protocol';
import { callState, callText } from './CollectiveBox';

const CALLED: DrawnCollective = {
  group: '0',
  number: 7,
  node: 13,
  step: 10,
  end: 15,
  rows: ['all_reduce', '27 kB, ranks 0-2', 'waited 41 ms for rank 2'],
  begun: 'has not ended',
  details: [],
  nodes: [],
  failed: false
};

test('a collective stands where the run does', () => {
  const at = (position: number) => [callState(CALLED, position), callText(CALLED, position)];
  expect(at(10)).toEqual(['undone', 'its step was taken back']);
  expect(at(11)).toEqual(['begun', 'has not ended']);
  expect(at(15)).toEqual(['begun', 'has not ended']);
  expect(at(16)).toEqual(['done', 'waited 41 ms for rank 2']);
});

test('one that failed or never ended says so', () => {
  expect(callState({ ...CALLED, failed: true }, 16)).toBe('failed');
  expect(callState({ ...CALLED, end: null }, 100)).toBe('begun');
});
