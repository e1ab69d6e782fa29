import { afterEach, beforeEach, expect, test, vi } from 'vitest';

import type { PortStatus } from '../../store';
import type { KernelPort } from '../kernelPort';
import { LinesFollower } from './linesFollower';

let sent: { type: string }[];
let tell: (message: object) => void;
let become: (status: PortStatus) => void;
let follower: LinesFollower;

beforeEach(() => {
  vi.useFakeTimers();
  sent = [];
  const port = {
    send: (message: { type: string }) => sent.push(message),
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
