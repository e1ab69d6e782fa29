import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';

import type { PortStatus } from '../../store';
import type { KernelPort } from '../kernelPort';
import { LIMIT } from './arrivals';
import { LinesFollower } from './linesFollower';

let sent: { type: string; request: number; session?: string | null }[];
let knocks: number;
let isBusy: boolean;
let tell: (message: object) => void;
let become: (status: PortStatus) => void;
let follower: LinesFollower;

beforeEach(() => {
  vi.useFakeTimers();
  sent = [];
  knocks = 0;
  isBusy = false;
  const port = {
    send: (message: (typeof sent)[number]) => sent.push(message),
    knock: () => (knocks += 1),
    get isBusy() {
      return isBusy;
    },
    onMessage: (callback: typeof tell) => {
      tell = callback;
      return () => undefined;
    },
    onStatus: (callback: typeof become) => {
      become = callback;
      return () => undefined;
    },
    dispose: () => undefined
  };
  follower = new LinesFollower(port as unknown as KernelPort);
});

afterEach(() => {
  follower.dispose();
  vi.useRealTimers();
});

const moved = { type: 'lines_moved', number: 7, runs: [], stops: null, mark: null };

test('the lines of a session that was just opened are asked for behind its view, once', () => {
  tell({ ...moved, session: 's1' });
  tell({ ...moved, session: 's1', number: 8 });
  expect(sent).toHaveLength(0);
  vi.runAllTimers();
  expect(sent.map(({ type }) => type)).toEqual(['follow_lines']);
});

test('over a connection that has just opened they are asked for at once, and not again', () => {
  tell({ ...moved, session: 's1' });
  become({ state: 'open' });
  expect(sent).toHaveLength(1);
  vi.runAllTimers();
  expect(sent).toHaveLength(1);
});

test('who is gone asks for nothing', () => {
  tell({ ...moved, session: 's1' });
  follower.dispose();
  vi.runAllTimers();
  expect(sent).toHaveLength(0);
});

/** The kernel answers what it was asked last. */
const answer = (message: object): void => tell({ ...message, request: sent.at(-1)?.request ?? 0 });
const lines = {
  type: 'lines',
  number: 7,
  files: [],
  lines: [],
  runs: [],
  stops: [],
  mark: null,
  more: 0
};
/** Has it been resolved? */
async function went(promise: Promise<void> | null): Promise<boolean> {
  let gone = promise === null;
  void promise?.then(() => {
    gone = true;
  });
  await vi.advanceTimersByTimeAsync(0);
  return gone;
}

describe('who asks about the lines of the session that was opened last', () => {
  test('is answered at once where these are there', async () => {
    expect(await went(follower.upToDate())).toBe(true);
    expect(sent).toEqual([]);
  });

  test('waits until they have come, which are then asked for at once', async () => {
    tell({ ...moved, session: 's1' });
    const upToDate = follower.upToDate();
    expect(await went(upToDate)).toBe(false);
    expect(sent.map(({ type }) => type)).toEqual(['follow_lines']);
    answer({ ...lines, session: 's1' });
    expect(await went(upToDate)).toBe(true);
    expect(follower.program?.session).toBe('s1');
  });
});

describe('before a view moves a session', () => {
  const set = {
    type: 'set_line_breakpoint',
    session: 's2',
    file: 'a',
    line: 1,
    enabled: true,
    condition: '',
    hits: 0,
    log: '',
    disabled: false
  } as const;

  const asked = (): unknown[] => sent.map(({ type, session }) => [type, session]);
  /** It has the lines of another session. */
  beforeEach(() => {
    become({ state: 'open' });
    answer({ ...lines, session: 's1' });
    sent.length = 0;
  });

  test('nothing is waited for where its lines are there', () => {
    expect(follower.ready('s1')).toBeNull();
    expect(asked()).toEqual([]);
  });

  test('its lines come, and the breakpoints that are then set', async () => {
    follower.changed.connect(() => void follower.ask(set));
    const ready = follower.ready('s2');
    expect(await went(ready)).toBe(false);
    expect(asked()).toEqual([['follow_lines', 's2']]);
    answer({ ...lines, session: 's2' });
    expect(await went(ready)).toBe(false);
    expect(sent.at(-1)?.type).toBe('set_line_breakpoint');
    answer({ type: 'done', session: 's2', revision: 2 });
    expect(await went(ready)).toBe(true);
    expect(follower.ready('s2')).toBeNull();
  });

  test('a breakpoint that was just set beside a line has arrived', async () => {
    void follower.ask({ ...set, session: 's1' });
    const ready = follower.ready('s1');
    expect(await went(ready)).toBe(false);
    answer({ type: 'done', session: 's1', revision: 2 });
    expect(await went(ready)).toBe(true);
  });

  test('a comm that is not open yet is opened', async () => {
    become({ state: 'connecting' });
    const ready = follower.ready('s2');
    expect(await went(ready)).toBe(false);
    expect(knocks).toBe(1);
    become({ state: 'open' });
    answer({ ...lines, session: 's2' });
    expect(await went(ready)).toBe(true);
  });

  test('a kernel that does not know the session is not asked again', async () => {
    const ready = follower.ready('s2');
    await vi.advanceTimersByTimeAsync(0);
    answer({ type: 'failed', message: 'not of this kernel', session: 's2', closed: true });
    expect(await went(ready)).toBe(true);
    expect(follower.ready('s2')).toBeNull();
    tell({ ...moved, session: 's2' }); // it is there now
    expect(follower.ready('s2')).not.toBeNull();
  });

  test('one that refuses at this moment is asked once', async () => {
    const ready = follower.ready('s2');
    await vi.advanceTimersByTimeAsync(0);
    answer({ type: 'failed', message: 'busy', session: 's2', closed: false });
    expect(await went(ready)).toBe(true);
    expect(sent).toHaveLength(1);
  });

  test('two sessions are met one after the other', async () => {
    const [one, other] = [follower.ready('s2'), follower.ready('s3')];
    await vi.advanceTimersByTimeAsync(0);
    expect(asked()).toEqual([['follow_lines', 's2']]);
    answer({ ...lines, session: 's2' });
    expect(await went(one)).toBe(true);
    expect(await went(other)).toBe(false);
    answer({ ...lines, session: 's3' });
    expect(await went(other)).toBe(true);
  });

  test('an answer that got lost is waited for in vain for a while, but not of a kernel that is busy', async () => {
    isBusy = true;
    const ready = follower.ready('s2');
    await vi.advanceTimersByTimeAsync(10 * LIMIT);
    expect(await went(ready)).toBe(false);
    isBusy = false;
    await vi.advanceTimersByTimeAsync(LIMIT);
    expect(await went(ready)).toBe(true);
  });

  test('a kernel that is gone is not waited for', async () => {
    const ready = follower.ready('s2');
    become({ state: 'closed' });
    expect(await went(ready)).toBe(true);
  });
});
