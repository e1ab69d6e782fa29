import { expect, test } from 'vitest';

import type { CodeFile, LineMark, Lines, LinesMoved, LineStop } from '../../protocol';
import { begin, controls, fold, isSame, marksIn } from './program';
import type { Program } from './program';
import { PLAIN } from './wishes';
import type { Kept } from './wishes';

const MARK = {
  node: 4,
  name: 'TanhBackward0',
  line: 1,
  kind: 'next',
  text: '',
  column: 4,
  end_line: 3,
  end_column: 9,
  inside: null,
  blamed: null,
  blamed_text: ''
} as const;

const WHOLE: Lines = {
  type: 'lines',
  request: 1,
  session: 's1',
  number: 7,
  files: [
    { file: '/tmp/1.py', name: 'In [1]', cell: 'abc', text: 'a\nb\nc' },
    { file: '/project/train.py', name: 'train.py', cell: '', text: '' }
  ],
  lines: [
    { file: 0, line: 1, nodes: 2, turns: 1, named: 1 },
    { file: 0, line: 3, nodes: 3, turns: 3, named: 3 },
    { file: 1, line: 90, nodes: 1, turns: 1, named: 90 }
  ],
  runs: [{ line: 0, turns: 1, node: 0, norm: 0.37123 }],
  stops: [],
  mark: MARK,
  left_out: 0
};

const moved = (change: Partial<LinesMoved>): LinesMoved => ({
  type: 'lines_moved',
  session: 's1',
  number: 8,
  runs: [],
  stops: null,
  mark: MARK,
  ...change
});

const begun = (): Program => begin(structuredClone(WHOLE)) as Program;
const textsIn = (program: Program, file: number): (string | null)[] =>
  marksIn(program, file).lines.map(line => line.norm);

test('no session, no program', () => {
  expect(begin({ ...WHOLE, session: '' })).toBeNull();
});

test('lines of which something was run have the norm, others nothing', () => {
  expect(textsIn(begun(), 0)).toEqual(['‖g‖ 0.371', null]);
  expect(textsIn(begun(), 1)).toEqual([null]);
});

test('what changed is folded, forwards and backwards', () => {
  const on = fold(begun(), moved({ runs: [{ line: 1, turns: 2, node: 5, norm: 12 }] })) as Program;
  expect(textsIn(on, 0)).toEqual(['‖g‖ 0.371', '‖g‖ 12 · 2 of 3']);
  const runs = [
    { line: 1, turns: 0, node: null, norm: null },
    { line: 0, turns: 0, node: null, norm: null }
  ];
  const back = fold(on, moved({ number: 9, runs, mark: null })) as Program;
  expect(textsIn(back, 0)).toEqual([null, null]);
  expect(marksIn(back, 0).current).toBeNull();
});

test('what is missed, or about another session, is asked for anew; a closed one is gone', () => {
  expect(fold(begun(), moved({ number: 9 }))).toBe('anew');
  expect(fold(begun(), moved({ session: 's2' }))).toBe('anew');
  expect(fold(null, moved({}))).toBe('anew');
  expect(fold(begun(), moved({ session: '' }))).toBeNull();
});

test.each([
  [Number.NaN, '‖g‖ NaN'],
  [Number.POSITIVE_INFINITY, '‖g‖ inf'],
  [null, '‖g‖ undefined']
])('what is not finite (%s) is loud', (norm, text) => {
  const runs = [{ line: 0, turns: 1, node: 0, norm }];
  const [line] = marksIn(fold(begun(), moved({ runs })) as Program, 0).lines;
  expect(line).toMatchObject({ norm: text, odd: true });
});

test('the line that comes next is marked in its text alone, with the call', () => {
  expect(marksIn(begun(), 0).current).toEqual({
    line: 3,
    node: 4,
    kind: 'next',
    text: 'next: TanhBackward0',
    call: { from: 4, endLine: 3, to: 9 }
  });
  expect(marksIn(begun(), 1).current).toBeNull();
  const leaf = fold(begun(), moved({ mark: { ...MARK, line: null } })) as Program;
  expect(marksIn(leaf, 0).current).toBeNull();
});

test('why a run stopped stands where it did', () => {
  const mark = { ...MARK, kind: 'nonfinite', text: 'Stopped: x made a NaN', column: null } as const;
  const { current } = marksIn(fold(begun(), moved({ mark })) as Program, 0);
  expect(current).toMatchObject({ kind: 'nonfinite', text: 'Stopped: x made a NaN', call: null });
});

test('a line that made the error of another is marked, also in a text that has recorded nothing', () => {
  const blames = (blamed: LineMark['blamed']): Program => {
    const mark = { ...MARK, kind: 'error', blamed, blamed_text: 'changes `h`' } as const;
    return fold(begun(), moved({ mark })) as Program;
  };
  const [cell] = WHOLE.files as [CodeFile, CodeFile];
  const there = blames({ file: cell, line: 2 });
  expect(marksIn(there, 0).current?.line).toBe(3);
  expect(marksIn(there, 0).blamed).toMatchObject({ line: 2, kind: 'error', text: 'changes `h`' });
  expect(marksIn(there, 1).blamed).toBeNull();
  const other = blames({
    file: { file: '/tmp/2.py', name: 'In [2]', cell: 'd', text: 'e' },
    line: 1
  });
  expect(marksIn(other, 2).blamed?.line).toBe(1);
  expect(marksIn(begun(), 0).blamed).toBeNull();
});

test('only empty lines at the end make no difference between texts', () => {
  expect(isSame('a\n b', 'a\r\n b\n\n')).toBe(true);
  expect(isSame('\na', 'a')).toBe(false);
  expect(isSame('a ', 'b')).toBe(false);
});

const stop = (fields: Partial<LineStop>): LineStop => ({
  line: 0,
  id: 1,
  refused: '',
  ...PLAIN,
  ...fields
});

test('beside each line that recorded something a breakpoint can be set, and elsewhere one waits', () => {
  const stops = [
    stop({ line: 1, id: 4, condition: 'grad.norm > 1e3' }),
    stop({ line: 1, id: 6, log: 'norm {grad.norm}' }),
    stop({ line: 0, id: 5, enabled: false })
  ];
  const program = fold(begun(), moved({ stops })) as Program;
  const { lines } = marksIn(program, 0);
  const wished = new Map([2, 3].map(line => [line, [PLAIN]] as const));
  expect(controls(lines, wished).map(({ line, stop }) => [line, stop])).toEqual([
    [1, 'off'],
    [2, 'wished'],
    [3, 'on']
  ]);
  expect(controls(lines, new Map())[1]?.title).toContain(', if grad.norm > 1e3');
  expect(controls(lines, new Map()).map(({ logs }) => logs)).toEqual([false, true]);
  expect(controls(lines, new Map())[1]?.title).toContain('Logs `norm {grad.norm}` when');
  const later = fold(program, moved({ number: 9 })) as Program;
  expect(later.stops).toBe(stops);
  expect(marksIn(fold(later, moved({ number: 10, stops: [] })) as Program, 0).lines[1]?.stop).toBe(
    'none'
  );
});

test('a breakpoint that waits says what it asks, and whether it is on', () => {
  const asks = { ...PLAIN, condition: 'grad.norm > 1', hits: 2 };
  const said = (...kept: Kept[]): unknown => {
    const [control] = controls([], new Map([[2, kept]]));
    return [control?.stop, control?.logs, control?.title.split(': waits')[0]];
  };
  expect(said(asks)).toEqual(['wished', false, 'Breakpoint, if grad.norm > 1, at hit 2']);
  expect(said({ ...PLAIN, enabled: false })).toEqual(['off', false, 'Disabled: Breakpoint']);
  expect(said({ ...PLAIN, log: 'x' })).toEqual(['none', true, 'Logs `x`']);
});

test('a condition that the session refuses is no pause, and its line says why', () => {
  const why = "there is no 'limit' here";
  const stops = [stop({ condition: 'limit > 1', refused: why })];
  const { lines } = marksIn(fold(begun(), moved({ stops })) as Program, 0);
  expect(controls(lines, new Map())[0]).toMatchObject({
    stop: 'off',
    title: `Continue does not pause here: ${why}`
  });
});
