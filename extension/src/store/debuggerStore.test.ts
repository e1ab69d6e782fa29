import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';

import { Player } from '../../tests/player';
import { named, plainView, RECORDINGS } from '../../tests/recordings';
import { DebuggerStore } from './debuggerStore';
import type { StoreOptions } from './debuggerStore';
import { SILENT_MS, SLOW_MS } from './pending';

const { mlp } = RECORDINGS;
const TANH = named(mlp, 'TanhBackward0');
const DRAWN = plainView(mlp).drawing.nodes;
let kernel: Player;
let store: DebuggerStore;

function open(options: StoreOptions = {}): void {
  store = new DebuggerStore(kernel, { schedule: callback => callback(), ...options });
}

const state = () => store.state.value;
const sent = () => kernel.requests.map(request => request.type);
const settle = () => vi.advanceTimersByTimeAsync(20);

beforeEach(() => {
  vi.useFakeTimers();
  kernel = new Player(mlp);
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
    expect(kernel.requests[0]).toMatchObject({
      type: 'attach',
      session: null,
      folding: { opened: [], closed: [], cells: [], near: null }
    });
    expect(state().session?.run.total).toBe(12);
    expect(state().view.selection).toBe(0);
    expect(state().inspection?.node.name).toBe('MeanBackward0');
  });

  test('in a panel lists sessions first, and shows the newest', async () => {
    open({ followNewest: true });
    await settle();
    expect(sent()).toEqual(['list_sessions', 'attach', 'inspect']);
    expect(state().sessions).toHaveLength(1);
  });

  test('a panel forgets everything when another kernel comes, and asks anew', async () => {
    open({ followNewest: true });
    await settle();
    kernel.become({ state: 'connecting', another: true });
    expect(state().session).toBeNull();
    expect(state().sessions).toEqual([]);
    kernel.become({ state: 'open' });
    await settle();
    expect(state().session?.session).toBe('s1');
  });

  test.each([{}, { followNewest: true }])('%o: what was shown last stays', async options => {
    open(options);
    await settle();
    kernel.become({ state: 'closed', reason: 'The kernel was restarted.' });
    expect(state().session).not.toBeNull();
    expect(state().sessions).toEqual([]);
  });

  test('a kernel that does not know the session any more has closed it', async () => {
    open();
    await settle();
    kernel.become({ state: 'closed' });
    kernel.transport = message =>
      message.type === 'shown'
        ? [
            {
              type: 'failed',
              request: message.request,
              session: 's1',
              message: 'No.',
              closed: true
            }
          ]
        : [message];
    kernel.become({ state: 'open' });
    await settle();
    expect(state().session?.closed).toBe(true);
    expect(state().session?.run.ending).toContain('does not know it any more');
    expect(state().notice).toBeNull();
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
    await settle();
    expect(state().session?.run.position).toBe(1);
    expect(state().announcement).toBe('MeanBackward0 done, 1 of 12');
    expect(state().inspection?.visit?.index).toBe(0);
  });

  test('that it moves is said if it takes longer than a blink', async () => {
    kernel.delay = null;
    store.step();
    await vi.advanceTimersByTimeAsync(90);
    expect(state().moving).toBe(false);
    await vi.advanceTimersByTimeAsync(20);
    expect(state().moving).toBe(true);
    kernel.delay = 0;
    kernel.flush();
    await settle();
    expect(state().moving).toBe(false);
    await vi.advanceTimersByTimeAsync(500);
    expect(state().moving).toBe(false);
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
    expect(state().announcement).toBe('3 nodes done, 4 of 12, next AccumulateGrad b2');
  });

  test('a seek replaces the seeks before it', async () => {
    store.step(8);
    await settle();
    kernel.requests.length = 0;
    [7, 5, 3, 2].forEach(position => store.seek(position));
    await settle();
    const seeks = kernel.requests.filter(request => request.type === 'seek');
    expect(seeks.map(seek => seek.position)).toEqual([7, 2]);
    expect(state().announcement).toBe('Back to 2 of 12, next SubBackward0');
  });

  test('remembers visits that were undone', async () => {
    store.step(4);
    await settle();
    store.back(3);
    await settle();
    expect([0, 1, 2, 3, 4].map(index => state().session?.history.node(index))).toEqual([
      0,
      1,
      2,
      3,
      undefined
    ]);
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
    const states = () =>
      state()
        .session?.saved.of(TANH)
        .map(value => value.state);
    expect(states()).toEqual(['alive']);
    store.step(8);
    await settle();
    expect(states()).toEqual(['freed']);
    store.back();
    await settle();
    expect(states()).toEqual(['alive']);
  });

  test('nodes that did not change keep their objects', async () => {
    const nodes = () => DRAWN.map(({ id }) => state().session?.fold.node(id));
    const before = nodes();
    store.step();
    await settle();
    const changed = nodes().filter((node, i) => node !== before[i]).length;
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

  test('every request has one answer, and the change comes before it', async () => {
    store.step();
    await settle();
    expect(kernel.requests.map(request => request.type)).toEqual(['step', 'inspect']);
    expect(state().patience).toBe('answered');
  });
});

describe('what the kernel says unasked', () => {
  beforeEach(async () => {
    open();
    await settle();
    kernel.requests.length = 0;
  });

  test('what another view does is shown here, too, and asked nobody', () => {
    kernel.moveTo(1);
    expect(state().session?.revision).toBe(2);
    expect(state().session?.run.position).toBe(1);
    expect(sent().filter(type => type !== 'inspect')).toEqual([]);
  });

  test('a gap in the revisions asks for what is missing, once', async () => {
    kernel.transport = () => [];
    kernel.moveTo(3);
    kernel.moveTo(2);
    kernel.transport = message => [message];
    kernel.moveTo(4);
    kernel.moveTo(5);
    expect(state().session?.revision).toBe(1);
    expect(kernel.requests.filter(({ type }) => type === 'since')).toMatchObject([{ revision: 1 }]);
    await settle();
    expect(state().session?.revision).toBe(5);
    expect(state().session?.run.position).toBe(5);
  });

  test('too many steps to be told one by one: the view looks anew, and is not sent the drawing', async () => {
    const { drawing, names } = state().session ?? {};
    kernel.moveTo(12);
    expect(kernel.requests.at(-1)).toMatchObject({ type: 'look', digest: drawing?.digest });
    await settle();
    expect(state().session?.run).toMatchObject({ position: 12, status: 'finished' });
    expect(state().announcement).toBe('12 nodes done, 12 of 12. Backward finished');
    expect(state().session?.drawing).toBe(drawing);
    expect(state().session?.names).toBe(names);
    kernel.moveTo(10);
    expect(state().session?.run.position).toBe(10);
    expect(sent().filter(type => type === 'look')).toHaveLength(1);
  });

  test('an update that was told before changes nothing', () => {
    kernel.transport = message => [message, message];
    kernel.moveTo(2);
    kernel.moveTo(1);
    expect(state().session?.run.position).toBe(1);
    expect([1, 2].map(index => state().session?.history.node(index))).toEqual([1, undefined]);
  });

  test('after a message was lost on the way, the view asks for what came since', async () => {
    kernel.transport = () => null;
    kernel.moveTo(3);
    kernel.transport = message => [message];
    expect(state().session?.run.position).toBe(0);
    kernel.afterCell();
    await settle();
    expect(state().session?.run.position).toBe(3);
  });

  test('a move whose answer was lost holds nothing up', async () => {
    kernel.transport = message => (message.type === 'done' ? [] : [message]);
    store.step();
    await settle();
    kernel.transport = message => [message];
    expect(state().session?.run.position).toBe(1);
    store.step();
    await settle();
    expect(state().session?.run.position).toBe(2);
    expect(state().moving).toBe(false);
  });

  test('an update of another session is not shown', () => {
    kernel.transport = message =>
      message.type === 'updated' ? [{ ...message, session: 's2' }] : [message];
    kernel.moveTo(1);
    expect(state().session?.revision).toBe(1);
  });

  test('an update about nodes that there are not is an error shown, and the view looks anew', async () => {
    kernel.transport = message =>
      message.type === 'updated'
        ? [{ ...message, update: { ...message.update, breakpoints: [99] } }]
        : [message];
    kernel.moveTo(1);
    expect(state().notice?.text).toContain(
      'update.breakpoints: expected a number below 12, got 99'
    );
    await settle();
    expect(state().session?.run.position).toBe(1);
  });

  test('written storages are shown, and nothing is laid out again', () => {
    const before = state().session;
    const [first] = mlp.storages.storages;
    kernel.write({
      storage: first?.id ?? 0,
      version: 5,
      writes: [],
      writes_dropped: 5,
      saved: [],
      opened: null
    });
    expect(state().session?.storages.get(first?.id ?? 0)?.version).toBe(5);
    expect(state().session?.drawing).toBe(before?.drawing);
  });

  test('attached to anew, the same drawing is the same object', async () => {
    const before = state().session?.drawing;
    store.retry();
    await settle();
    expect(state().session?.drawing).toBe(before);
  });

  test('a view that is gone says so, once', () => {
    store.dispose();
    store.dispose();
    expect(sent()).toEqual(['detach']);
  });

  test('what cannot be read is told, with what to do, and breaks nothing', () => {
    kernel.emit({ type: 'at_revision', session: 's1', revision: 'two' });
    expect(state().notice?.text).toContain('at_revision.revision: expected a whole number');
    expect(state().notice?.text).toContain('reinstall vizgrad');
    expect(state().session?.revision).toBe(1);
    store.dismiss();
    expect(state().notice).toBeNull();
  });

  test('a failure is told as the kernel words it, and not asked about again', async () => {
    store.runTo(99);
    await settle();
    expect(state().notice?.text).toBe('There is no such node ahead.');
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
    expect(state().session?.run.total).toBe(12);
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
    kernel.moveTo(1 - (i % 2));
  }
  kernel.flush();
  frames.forEach(frame => frame());
  expect(told).toBe(1);
  expect(state().session?.revision).toBe(101);
});
