import { beforeEach, expect, test, vi } from 'vitest';

import type { LineStop } from '../../protocol';
import type { LinesFollower } from './linesFollower';
import { LineStops } from './lineStops';
import type { FileMarks } from './program';
import { PLAIN } from './wishes';

let asked: object[];
let answer: object | null;
let stops: LineStops;
const say = vi.fn();

beforeEach(() => {
  asked = [];
  answer = { type: 'done' };
  say.mockClear();
  const program = {
    session: 's2',
    files: [{ file: '/tmp/1.py', name: 'In [3]', cell: 'a', text: 'x' }],
    lines: [{ file: 0, line: 2, nodes: 1, turns: 1, named: 2 }]
  };
  const ask = (question: object): Promise<unknown> => {
    asked.push(question);
    return Promise.resolve(answer);
  };
  stops = new LineStops({ program, ask } as unknown as LinesFollower, say);
});

const stop = (fields: Partial<LineStop>): LineStop => ({
  line: 0,
  id: 1,
  refused: '',
  ...PLAIN,
  ...fields
});
const marks = (session: string, ...set: LineStop[]): FileMarks => ({
  session,
  text: 'x',
  lines: [
    {
      line: 2,
      number: 0,
      norm: null,
      title: '',
      odd: false,
      turns: 1,
      stop: 'none',
      stopsIf: '',
      set
    }
  ],
  current: null,
  blamed: null
});
const to = {
  type: 'set_line_breakpoint',
  session: 's2',
  file: '/tmp/1.py',
  line: 2,
  enabled: true
};

test('the next session is asked for what is kept, with all that was set', () => {
  const set = [
    stop({ condition: 'limit > 1', hits: 3, enabled: false }),
    stop({ id: 2, log: 'norm {grad.norm()}' })
  ];
  stops.meet('a', marks('s1', ...set));
  expect(asked).toEqual([]);
  stops.meet('a', marks('s2'));
  expect(asked).toEqual([
    { ...to, condition: 'limit > 1', hits: 3, log: '', disabled: true },
    { ...to, condition: '', hits: 0, log: 'norm {grad.norm()}', disabled: false }
  ]);
  stops.meet('a', marks('s2'));
  expect(asked).toHaveLength(2);
});

test('a condition that the session refuses is said once, and kept', () => {
  const kept = stop({ condition: 'limit > 1' });
  stops.meet('a', marks('s1', kept));
  stops.meet('a', marks('s2'));
  const refused = stop({ id: 7, condition: 'limit > 1', refused: "there is no 'limit' here" });
  stops.meet('a', marks('s2', refused));
  stops.meet('a', marks('s2', refused));
  expect(say.mock.calls).toEqual([['line 2 of In [3]', "there is no 'limit' here"]]);
  expect(stops.of('a').get(2)).toEqual([{ ...PLAIN, condition: 'limit > 1' }]);
});

test('a session that does not take it is asked again when it is met again', async () => {
  answer = null;
  stops.meet('a', marks('s1', stop({ log: 'x' })));
  stops.meet('a', marks('s2'));
  await Promise.resolve();
  stops.meet('a', marks('s2'));
  expect(asked).toHaveLength(2);
});
