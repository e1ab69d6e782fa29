import { beforeEach, describe, expect, test, vi } from 'vitest';

import { named, plainView, RECORDINGS } from '../../tests/recordings';
import { stored } from '../../tests/stored';
import { DebuggerStore } from './debuggerStore';

const { mlp } = RECORDINGS;
const TANH = named(mlp, 'TanhBackward0');
const DRAWN = plainView(mlp).drawing.nodes;
const on = stored(mlp);
const { open, state, sent, settle } = on;

describe('attaching', () => {
  test('asks for everything, then about the node that runs next', async () => {
    open();
    await settle();
    expect(sent()).toEqual(['attach', 'inspect']);
    expect(on.kernel.requests[0]).toMatchObject({
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
    on.kernel.become({ state: 'connecting', another: true });
    expect(state().session).toBeNull();
    expect(state().sessions).toEqual([]);
    on.kernel.become({ state: 'open' });
    await settle();
    expect(state().session?.session).toBe('s1');
  });

  test.each([{}, { followNewest: true }])('%o: what was shown last stays', async options => {
    open(options);
    await settle();
    on.kernel.become({ state: 'closed', reason: 'The kernel was restarted.' });
    expect(state().session).not.toBeNull();
    expect(state().sessions).toEqual([]);
  });

  test('a move after another session was chosen is not made in the one that is still shown', async () => {
    open();
    await settle();
    on.kernel.delay = null;
    on.store.attach('s2');
    on.store.actions.continue();
    expect(sent()).toEqual(['attach', 'inspect', 'attach']);
    on.store.attach('s1'); // Back before it came.
    on.store.actions.continue();
    expect(sent().at(-1)).toBe('continue');
  });

  test('a kernel that does not know the session any more has closed it', async () => {
    open();
    await settle();
    on.kernel.become({ state: 'closed' });
    on.kernel.transport = message =>
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
    on.kernel.become({ state: 'open' });
    await settle();
    expect(state().session?.closed).toBe(true);
    expect(state().session?.run.ending).toContain('no longer has it');
    expect(state().notice).toBeNull();
  });
});

describe('moving', () => {
  beforeEach(async () => {
    open();
    await settle();
    on.kernel.requests.length = 0;
  });

  test('a step moves, follows with the selection, and is told in words', async () => {
    on.store.actions.step();
    await settle();
    expect(state().session?.run.position).toBe(1);
    expect(state().announcement).toBe('MeanBackward0 done, 1 of 12');
    // What it leads to is inspected, not what it ran, which is one call away.
    const { current } = state().session?.run ?? {};
    expect(state().inspection).toMatchObject({ node: { id: current }, visit: null });
    on.store.selectLast();
    await settle();
    expect(state().inspection?.visit?.index).toBe(0);
    on.store.selectLast();
    expect(state().view).toMatchObject({ follow: true, selection: current });
  });

  test('that it moves is said if it takes longer than a blink', async () => {
    on.kernel.delay = null;
    on.store.actions.step();
    await vi.advanceTimersByTimeAsync(90);
    expect(state().moving).toBe(false);
    await vi.advanceTimersByTimeAsync(20);
    expect(state().moving).toBe(true);
    on.kernel.delay = 0;
    on.kernel.flush();
    await settle();
    expect(state().moving).toBe(false);
    await vi.advanceTimersByTimeAsync(500);
    expect(state().moving).toBe(false);
  });

  test('steps asked for while one is under way are sent as one', async () => {
    for (let i = 0; i < 5; i++) {
      on.store.actions.step();
    }
    on.store.actions.back();
    await settle();
    const steps = on.kernel.requests.filter(request => request.type === 'step');
    expect(steps.map(step => step.count)).toEqual([1, 3]);
    expect(state().session?.run.position).toBe(4);
    expect(state().announcement).toBe('3 nodes done, 4 of 12, next AccumulateGrad b2');
  });

  test('a seek replaces the seeks before it', async () => {
    on.store.actions.step(8);
    await settle();
    on.kernel.requests.length = 0;
    [7, 5, 3, 2].forEach(position => on.store.actions.seek(position));
    await settle();
    const seeks = on.kernel.requests.filter(request => request.type === 'seek');
    expect(seeks.map(seek => seek.position)).toEqual([7, 2]);
    expect(state().announcement).toBe('Back to 2 of 12, next SubBackward0');
  });

  test('remembers visits that were undone', async () => {
    on.store.actions.step(4);
    await settle();
    on.store.actions.back(3);
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

  test('a selected node stays selected until a person goes back to the current one', async () => {
    on.store.select(6);
    await settle();
    on.store.actions.step(2);
    await settle();
    expect(state().view.selection).toBe(6);
    on.store.home();
    expect(state().view.selection).toBe(state().session?.run.current);
  });

  test('saved values change their state with the run', async () => {
    const states = () =>
      state()
        .session?.saved.of(TANH)
        .map(value => value.state);
    expect(states()).toEqual(['alive']);
    on.store.actions.step(8);
    await settle();
    expect(states()).toEqual(['freed']);
    on.store.actions.back();
    await settle();
    expect(states()).toEqual(['alive']);
  });

  test('nodes that did not change keep their objects', async () => {
    const nodes = () => DRAWN.map(({ id }) => state().session?.fold.node(id));
    const before = nodes();
    on.store.actions.step();
    await settle();
    const changed = nodes().filter((node, i) => node !== before[i]).length;
    expect(changed).toBe(2);
  });

  test('breakpoints stop Continue', async () => {
    on.store.actions.toggleBreakpoint(5);
    await settle();
    expect(state().session?.run.breakpoints).toEqual([5]);
    on.store.actions.continue();
    await settle();
    expect(state().session?.run.current).toBe(5);
    on.store.actions.toggleBreakpoint(5);
    await settle();
    expect(state().session?.run.breakpoints).toEqual([]);
  });

  test('Stop closes: it stays readable, and asks for nothing more', async () => {
    on.store.actions.stop();
    await settle();
    expect(state().session?.closed).toBe(true);
    expect(state().announcement).toBe('Session closed');
    on.kernel.requests.length = 0;
    on.store.actions.step();
    await settle();
    expect(sent()).toEqual([]);
  });

  test('every request has one answer, and the change comes before it', async () => {
    on.store.actions.step();
    await settle();
    expect(on.kernel.requests.map(request => request.type)).toEqual(['step', 'inspect']);
    expect(state().patience).toBe('answered');
  });
});

test('a hundred messages in one frame are one notification', () => {
  const frames: (() => void)[] = [];
  on.kernel.delay = null;
  on.store = new DebuggerStore(on.kernel, { schedule: callback => frames.push(callback) });
  let told = 0;
  on.store.state.subscribe(() => told++);
  on.kernel.flush();
  for (let i = 0; i < 100; i++) {
    on.kernel.moveTo(1 - (i % 2));
  }
  on.kernel.flush();
  frames.forEach(frame => frame());
  expect(told).toBe(1);
  expect(state().session?.revision).toBe(101);
});
