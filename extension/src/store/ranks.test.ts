import { expect, test } from 'vitest';

import type { RankRow, Ranks } from '../protocol';
import { ranksAfter, ranksOf, rowWithin, standings } from './ranks';

function row(node: number, cells: string, leaving = false): RankRow {
  return { node, cells, leaving, text: cells === '..' ? '' : `ranks at ${node}` };
}

function told(rows: RankRow[], whole = false, session = 's1'): Ranks {
  const members = [0, 1].map(rank => ({
    rank,
    session: `s${rank + 1}`,
    state: 'paused' as const,
    text: rank === 0 ? '1 of 4' : '2 of 4'
  }));
  return {
    type: 'ranks',
    session,
    rank: 0,
    members,
    whole,
    rows,
    differing: rows.filter(each => each.leaving).length,
    first: null,
    text: '',
    per_cell: 1,
    together: true,
    calls: [],
    followed: false
  };
}

test('rows of nodes that have changed take the place of earlier ones, a row without words goes', () => {
  const first = ranksAfter(null, told([row(0, 'oo'), row(1, 'o.')], true));
  const next = ranksAfter(first, told([row(1, 'on', true), row(0, '..')]));
  expect([...next.rows.keys()]).toEqual([1]);
  expect(next.rows.get(1)?.cells).toBe('on');
  expect([...ranksAfter(next, told([row(3, 'oo')], true)).rows.keys()]).toEqual([3]);
  expect([...ranksAfter(next, told([row(3, 'oo')], false, 's2')).rows.keys()]).toEqual([3]);
});

test('the strip of a group has the loudest cell of each rank', () => {
  const { rows } = ranksAfter(null, told([row(0, 'oo'), row(1, 'no', true), row(5, 'oz', true)]));
  expect(rowWithin(0, 4, rows)).toMatchObject({
    cells: 'no',
    leaving: true,
    text: 'a rank leaves the others at 1 of its nodes; ranks at 1'
  });
  expect(rowWithin(0, 1, rows)?.text).toBe('no rank leaves the others at its 1 node that ran');
  expect(rowWithin(2, 4, rows)).toBeNull();
});

test('ranks that stand alike are one line', () => {
  const { members } = told([]);
  const [one] = members;
  const many = one
    ? [0, 1, 2, 5].map(rank => ({ ...one, rank, text: rank === 5 ? 'waits' : 'done' }))
    : [];
  expect(standings(many).map(({ who }) => who)).toEqual(['ranks 0-2', 'rank 5']);
  expect(standings(members.map(each => ({ ...each, text: 'x' })))[0]?.who).toBe('both ranks');
});

test('ranks of another session are not those that are shown', () => {
  const ranks = ranksAfter(null, told([]));
  expect(ranksOf(null, ranks)).toBeNull();
});
