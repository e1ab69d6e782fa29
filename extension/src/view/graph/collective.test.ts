import { expect, test } from 'vitest';

import type { DrawnCollective } from '../../protocol';
import { callLines, callState, callText } from './CollectiveBox';

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

test('who was waited for is whole: on both lines where one is too short', () => {
  const lines = (text: string, most: number) =>
    callLines('27 kB, ranks 0-2', text, line => line.length <= most);
  const waited = 'waited 41 ms for rank 2';
  expect(lines(waited, 23)).toEqual([{ text: '27 kB, ranks 0-2', isSize: true }, waited]);
  expect(lines(waited, 22)).toEqual([{ text: 'waited 41 ms for rank', isSize: false }, '2']);
  expect(lines(waited, 16)).toEqual([{ text: 'waited 41 ms for', isSize: false }, 'rank 2']);
  expect(lines(waited, 4)).toEqual([{ text: 'waited', isSize: false }, '41 ms for rank 2']);
});
