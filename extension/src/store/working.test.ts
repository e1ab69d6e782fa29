import { afterEach, beforeEach, expect, test, vi } from 'vitest';

import { Player } from '../../tests/player';
import { RECORDINGS } from '../../tests/recordings';
import type { Message } from '../protocol';
import { DebuggerStore } from './debuggerStore';
import { SILENT_MS } from './requestQueue';

let kernel: Player;
let store: DebuggerStore;
const state = () => store.state.value;
const tick = (ms: number) => vi.advanceTimersByTimeAsync(ms);

function works(what: 'running' | '', done = 3): void {
  const node = { node: 5, name: 'SlowBackward', label: '', needed: 1 };
  kernel.emit({ type: 'working', session: 's1', what, done, total: 12, node, seconds: 2 });
}

beforeEach(async () => {
  vi.useFakeTimers();
  kernel = new Player(RECORDINGS.mlp);
  store = new DebuggerStore(kernel, { schedule: callback => callback() });
  await tick(20);
});

afterEach(() => {
  store.dispose();
  vi.useRealTimers();
});

test('what runs is known for as long as the kernel goes on telling', async () => {
  works('running');
  expect(state().working).toMatchObject({ done: 3, node: { name: 'SlowBackward' } });
  await tick(2000);
  works('running', 4);
  await tick(2000);
  expect(state().working?.done).toBe(4);
  works('');
  expect(state().working).toBeNull();
  works('running');
  await tick(4000); // The kernel died without a word.
  expect(state().working).toBeNull();
});

test('the node that runs is selected, unless a person has selected another', () => {
  works('running', 1);
  const { session, view } = state();
  expect(view).toMatchObject({ follow: true, selection: 5 });
  const first = session?.run.current ?? -1;
  works('');
  expect(state().view.selection).toBe(first); // Nothing was told of it: it was undone.
  store.select(3);
  works('running', 1);
  expect(state().view.selection).toBe(3);
});

test('of another session it is not this view that tells', () => {
  kernel.emit({ type: 'working', session: 's2', what: 'running' });
  expect(state().working).toBeNull();
});

test('a move that is known to run is not waited for in vain, and asked about no more', async () => {
  kernel.delay = null;
  store.actions.continue();
  for (let waited = 0; waited < 2 * SILENT_MS; waited += 1000) {
    works('running');
    await tick(1000);
  }
  expect(state().patience).toBe('answered');
  expect(state().moving).toBe(true);
  const asked = kernel.requests.length;
  store.select(3);
  await tick(20);
  expect(kernel.requests.length).toBe(asked);
  works('');
  kernel.flush();
  await tick(20);
  expect(kernel.requests.some(({ type }) => type === 'inspect')).toBe(true);
});

test('the answer to a pause does not say that earlier ones are lost', async () => {
  kernel.delay = null;
  store.actions.continue();
  await tick(1000);
  store.actions.pause();
  const { request } = kernel.requests.at(-1) ?? { request: 0 };
  expect(kernel.requests.at(-1)?.type).toBe('pause');
  kernel.emit({ type: 'done', request, session: 's1', revision: 1 });
  expect(state().moving).toBe(true);
  kernel.flush();
  await tick(20);
  expect(state().moving).toBe(false);
});

test('while it runs the picture follows, told in pieces', async () => {
  works('running');
  const { folding, selection } = state().view; // That of the running node.
  const { announcement } = state();
  kernel.requests.length = 0;
  kernel.moveTo(2);
  kernel.moveTo(4);
  await tick(20);
  expect(state().session?.fold.position).toBe(4);
  expect(kernel.requests).toEqual([]);
  expect(state().view).toMatchObject({ folding, selection });
  expect(state().announcement).toBe(announcement);
  works('');
  kernel.moveTo(5);
  expect(state().announcement).toContain('5 nodes done, 5 of 12');
  await tick(20);
  expect(state().view.selection).not.toBe(selection);
});

test('who looks while it runs does not take the move for done', async () => {
  kernel.delay = null;
  store.actions.continue();
  await tick(1000);
  works('running');
  const shown: Message[] = [];
  kernel.transport = message => {
    shown.push(message);
    return [];
  };
  store.fold({ close: [0] });
  expect(shown.map(({ type }) => type)).toEqual(['shown']);
  kernel.emit(shown[0]);
  expect(state().moving).toBe(true);
  kernel.flush();
  await tick(20);
  expect(state().moving).toBe(false);
});
