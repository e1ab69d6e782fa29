import { afterEach, beforeEach, expect, test, vi } from 'vitest';

import { Player } from '../../tests/player';
import { RECORDINGS } from '../../tests/recordings';
import type { Ranks } from '../protocol';
import { DebuggerStore } from './debuggerStore';

let kernel: Player;
let store: DebuggerStore;
const state = () => store.state.value;

const TOLD: Ranks = {
  type: 'ranks',
  session: 's1',
  rank: 0,
  members: [],
  whole: true,
  rows: [],
  differing: 0,
  first: null,
  text: 'no node has run',
  per_cell: 1,
  together: true,
  calls: [],
  followed: true
};

beforeEach(async () => {
  vi.useFakeTimers();
  kernel = new Player(RECORDINGS.mlp);
  store = new DebuggerStore(kernel, { schedule: callback => callback() });
  await vi.advanceTimersByTimeAsync(20);
});

afterEach(() => {
  store.dispose();
  vi.useRealTimers();
});

test('what is told of ranks waits for the update that follows, and is there with it', () => {
  kernel.emit({ ...TOLD });
  expect(state().ranks).toBeNull();
  kernel.emit({ type: 'at_revision', session: 's1', revision: state().session?.revision ?? 0 });
  expect(state().ranks?.text).toBe('no node has run');
});

test('it does not wait for an update that was lost', async () => {
  kernel.emit({ ...TOLD });
  await vi.advanceTimersByTimeAsync(200);
  expect(state().ranks?.text).toBe('no node has run');
  kernel.emit({ ...TOLD, text: 'another', followed: false });
  expect(state().ranks?.text).toBe('another');
});
