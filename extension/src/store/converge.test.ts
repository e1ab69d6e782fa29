import { afterEach, beforeEach, expect, test, vi } from 'vitest';

import { Player } from '../../tests/player';
import { plainView, RECORDINGS } from '../../tests/recordings';
import { shownIn, toldIn } from '../../tests/standings';
import type { Message } from '../protocol';
import { DebuggerStore } from './debuggerStore';
import { SLOW_MS } from './requestQueue';
import type { SessionState } from './session';

/** Random whole numbers below `limit`, the same for the same seed. */
function generator(seed: number): (limit: number) => number {
  let state = seed * 2_654_435_761;
  return limit => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) | 0;
    return ((state ^ (state >>> 13)) >>> 0) % limit;
  };
}

/** Messages get lost, noticed or not, come twice, and overtake each other. */
function unreliable(random: (limit: number) => number): (message: Message) => Message[] | null {
  const late: Message[] = [];
  return message => {
    switch (random(9)) {
      case 0:
        return null;
      case 1:
        return [];
      case 2:
        return [message, message];
      case 3:
        late.push(message);
        return [];
      case 4:
        return [message, ...late.splice(0)];
      default:
        return [message];
    }
  };
}

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

/** Those of which every position was told. */
const names = ['mlp', 'stale', 'inputs', 'shared', 'undefined', 'nonfinite', 'layers'] as const;
const cases = Array.from({ length: 84 }, (_, seed) => ({ seed, name: names[seed % names.length] }));

test.each(cases)('converges, whatever the way does to messages: $name $seed', async context => {
  const random = generator(context.seed + 1);
  const recording = RECORDINGS[context.name ?? 'mlp'];
  const kernel = new Player(recording);
  kernel.kept = random(2) === 0 ? 3 : Infinity;
  const store = new DebuggerStore(kernel, { schedule: callback => callback() });
  const { length } = kernel.records;
  const size = plainView(recording).shown.nodes;
  const settle = () => vi.advanceTimersByTimeAsync(20);
  await settle();
  kernel.transport = unreliable(random);
  for (let turn = 0; turn < 40; turn++) {
    const acts = [
      () => store.actions.step(random(3)),
      () => store.actions.back(random(3)),
      () => store.actions.seek(random(length + 1)),
      () => store.actions.continue(),
      () => store.actions.toggleBreakpoint(random(size)),
      () => store.select(random(size)),
      () => store.fold({ close: [0], near: null }),
      () => store.fold({ open: [0], near: null }),
      () => store.watchMemory(random(2) === 0),
      () => kernel.moveTo(random(length + 1)),
      () => kernel.afterCell()
    ];
    acts[random(acts.length)]?.();
    if (random(2) === 0) {
      await settle();
    }
  }
  kernel.transport = message => [message];
  // Something happens once more, as it always does.
  store.fold({ close: [0], near: null });
  kernel.moveTo(kernel.position === 0 ? 1 : kernel.position - 1);
  await vi.advanceTimersByTimeAsync(SLOW_MS + 50);

  const session = store.state.value.session as SessionState;
  const view = recording.views[1] as (typeof recording.views)[number];
  const standing = kernel.standing(view);
  expect(session.revision).toBe(kernel.revision);
  expect(session.drawing).toEqual(view.drawing);
  expect(shownIn(session, standing)).toEqual(toldIn(session, standing));

  // And the view is not deaf.
  store.actions.seek(0);
  await settle();
  store.actions.step();
  await settle();
  expect(store.state.value.session?.run.position).toBe(1);
  expect(store.state.value.patience).toBe('answered');
  store.dispose();
});
