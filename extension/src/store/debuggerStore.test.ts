import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';

import { FakeKernel } from '../../tests/fakeKernel';
import { mlp } from '../../tests/graphs';
import { DebuggerStore } from './debuggerStore';
import type { StoreOptions } from './debuggerStore';
import { SILENT_MS, SLOW_MS } from './pending';

let kernel: FakeKernel;
let store: DebuggerStore;

function open(options: StoreOptions = {}): void {
  store = new DebuggerStore(kernel, { schedule: callback => callback(), ...options });
}

const state = () => store.state.value;
const sent = () => kernel.requests.map(request => request.type);
const settle = () => vi.advanceTimersByTimeAsync(20);

beforeEach(() => {
  vi.useFakeTimers();
  kernel = new FakeKernel(mlp());
});

afterEach(() => {
  store.dispose();
  vi.useRealTimers();
});

describe('attaching', () => {
  test('asks for everything, then about the node that runs next', async () => {
    open();
    await settle();
    expect(sent()).toEqual(['attach', 'inspect']);
    expect(kernel.requests[0]).toEqual({ type: 'attach', request: 1, session: null });
    expect(state().session?.run.total).toBe(11);
    expect(state().view.selection).toBe(0);
    expect(state().inspection?.node.name).toBe('MeanBackward0');
  });

  test('in a panel lists sessions first, and shows the newest', async () => {
    open({ followNewest: true });
    await settle();
    expect(sent()).toEqual(['list_sessions', 'attach', 'inspect']);
    expect(state().sessions).toHaveLength(1);
  });

  test('a panel forgets everything when the kernel goes, and asks again when one comes', async () => {
    open({ followNewest: true });
    await settle();
    kernel.become({ state: 'closed', reason: 'No kernel.' });
    expect(state().session).toBeNull();
    expect(state().sessions).toEqual([]);
    kernel.become({ state: 'open' });
    await settle();
    expect(state().session?.session).toBe('s1');
  });

  test('a widget keeps what it showed last', async () => {
    open();
    await settle();
    kernel.become({ state: 'closed' });
    expect(state().session).not.toBeNull();
  });
});

describe('moving', () => {
  beforeEach(async () => {
    open();
    await settle();
    kernel.requests.length = 0;
  });

  test('a step moves, follows with the selection, and is told in words', async () => {
    store.step();
    expect(state().moving).toBe(true);
    await settle();
    expect(state().moving).toBe(false);
    expect(state().session?.run.position).toBe(1);
    expect(state().announcement).toBe('MeanBackward0 done, 1 of 11');
    expect(state().inspection?.visit?.index).toBe(0);
  });

  test('steps asked for while one is under way are sent as one', async () => {
    for (let i = 0; i < 5; i++) {
      store.step();
    }
    store.back();
    await settle();
    const steps = kernel.requests.filter(request => request.type === 'step');
    expect(steps.map(step => step.count)).toEqual([1, 3]);
    expect(state().session?.run.position).toBe(4);
    expect(state().announcement).toBe('3 nodes done, 4 of 11, next TBackward0');
  });

  test('a seek replaces the seeks before it', async () => {
    store.step(8);
    await settle();
    kernel.requests.length = 0;
    [7, 5, 3, 2].forEach(position => store.seek(position));
    await settle();
    const seeks = kernel.requests.filter(request => request.type === 'seek');
    expect(seeks.map(seek => seek.position)).toEqual([7, 2]);
    expect(state().announcement).toBe('Back to 2 of 11, next AddmmBackward0');
  });

  test('remembers visits that were undone', async () => {
    store.step(4);
    await settle();
    store.back(3);
    await settle();
    expect(state().session?.history).toEqual([0, 1, 2, 3]);
    expect(state().session?.run.position).toBe(1);
  });

  test('a selected node stays selected until the steps are followed again', async () => {
    store.select(6);
    await settle();
    store.step(2);
    await settle();
    expect(state().view.selection).toBe(6);
    store.follow(true);
    expect(state().view.selection).toBe(1);
  });

  test('saved values change their state with the run', async () => {
    expect(
      state()
        .session?.saved.get(2)
        ?.map(value => value.state)
    ).toEqual(['alive', 'stale']);
    store.step(3);
    await settle();
    expect(
      state()
        .session?.saved.get(2)
        ?.map(value => value.state)
    ).toEqual(['freed', 'freed']);
  });

  test('nodes that did not change keep their objects', async () => {
    const before = state().session?.run.nodes;
    store.step();
    await settle();
    const after = state().session?.run.nodes;
    const changed = after?.filter((node, i) => node !== before?.[i]).length;
    expect(changed).toBe(2);
  });

  test('breakpoints stop Continue', async () => {
    store.toggleBreakpoint(5);
    await settle();
    expect(state().session?.run.breakpoints).toEqual([5]);
    store.continue();
    await settle();
    expect(state().session?.run.current).toBe(5);
    store.toggleBreakpoint(5);
    await settle();
    expect(state().session?.run.breakpoints).toEqual([]);
  });

  test('Stop closes: it stays readable, and asks for nothing more', async () => {
    store.stop();
    await settle();
    expect(state().session?.closed).toBe(true);
    expect(state().announcement).toBe('Session closed');
    kernel.requests.length = 0;
    store.step();
    await settle();
    expect(sent()).toEqual([]);
  });
});

describe('what the kernel says unasked', () => {
  beforeEach(async () => {
    open();
    await settle();
    kernel.requests.length = 0;
  });

  test('a state of another view is shown here, too', () => {
    kernel.revision++;
    kernel.emit({ ...kernel.state(0), request: 0 });
    expect(state().session?.revision).toBe(2);
    expect(sent()).not.toContain('get_snapshot');
  });

  test('a gap in the revisions asks for a snapshot, once', async () => {
    kernel.revision = 7;
    kernel.emit(kernel.state(0));
    kernel.revision = 9;
    kernel.emit(kernel.state(0));
    expect(sent().filter(type => type === 'get_snapshot')).toHaveLength(1);
    await settle();
    expect(state().session?.revision).toBe(9);
  });

  test('an older state is not shown', () => {
    const old = kernel.state(0);
    kernel.revision = 2;
    kernel.emit(kernel.state(0));
    kernel.emit({ ...old, run: { ...old.run, position: 5 } });
    expect(state().session?.run.position).toBe(0);
  });

  test('a state of another session is not shown', () => {
    kernel.emit({ ...kernel.state(0), session: 's2', revision: 2 });
    expect(state().session?.revision).toBe(1);
  });

  test('written storages replace those of the graph, and nothing is laid out again', () => {
    const before = state().session;
    const [first] = mlp().storages;
    const storages = [{ ...first, version: 5 }];
    kernel.revision++;
    const { session, revision, run } = kernel.state(0);
    kernel.emit({ type: 'versions', session, revision, storages, run });
    expect(state().session?.graph.storages.map(storage => storage.version)).toEqual([5, 0, 2]);
    expect(state().session?.structure).toBe(before?.structure);
  });

  test('a snapshot of the same graph is not a new graph', async () => {
    const before = state().session?.structure;
    store.retry();
    await settle();
    expect(state().session?.structure).toBe(before);
  });

  test('what cannot be read is told, with what to do, and breaks nothing', () => {
    kernel.emit({ type: 'state', session: 's1', revision: 'two' });
    expect(state().notice?.text).toContain('state.revision: expected a whole number');
    expect(state().notice?.text).toContain('reinstall vizgrad');
    expect(state().session?.revision).toBe(1);
    store.dismiss();
    expect(state().notice).toBeNull();
  });

  test('a failure is told as the kernel words it, and not asked about again', async () => {
    store.runTo(99);
    await settle();
    expect(state().notice?.text).toBe('There is no such node in this run.');
    kernel.requests.length = 0;
    await settle();
    expect(sent()).toEqual([]);
  });
});

describe('a kernel that does not answer', () => {
  test('is waited for, then doubted, and can be asked again', async () => {
    kernel.delay = null;
    open();
    expect(state().patience).toBe('waiting');
    await vi.advanceTimersByTimeAsync(SLOW_MS + 10);
    expect(state().patience).toBe('slow');
    await vi.advanceTimersByTimeAsync(SILENT_MS);
    expect(state().patience).toBe('silent');
    kernel.delay = 0;
    store.retry();
    await settle();
    expect(state().patience).toBe('answered');
    expect(state().session?.run.total).toBe(11);
  });

  test('may still answer late', async () => {
    kernel.delay = null;
    open();
    await vi.advanceTimersByTimeAsync(SILENT_MS + 10);
    kernel.delay = 0;
    kernel.flush();
    await settle();
    expect(state().patience).toBe('answered');
    expect(state().session).not.toBeNull();
  });

  test('a port that throws is told of', async () => {
    open();
    await settle();
    vi.spyOn(kernel, 'send').mockImplementation(() => {
      throw new Error('comm is closed');
    });
    store.step();
    expect(state().notice?.text).toContain('comm is closed');
    expect(state().moving).toBe(false);
  });
});

test('a hundred messages in one frame are one notification', () => {
  const frames: (() => void)[] = [];
  kernel.delay = null;
  store = new DebuggerStore(kernel, { schedule: callback => frames.push(callback) });
  let told = 0;
  store.state.subscribe(() => told++);
  kernel.flush();
  for (let i = 0; i < 100; i++) {
    kernel.revision++;
    kernel.emit(kernel.state(0));
  }
  frames.forEach(frame => frame());
  expect(told).toBe(1);
  expect(state().session?.revision).toBe(101);
});
