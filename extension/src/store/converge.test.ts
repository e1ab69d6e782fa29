import { afterEach, beforeEach, expect, test, vi } from 'vitest';

import { Player } from '../../tests/player';
import { RECORDINGS } from '../../tests/recordings';
import type { Message } from '../protocol';
import { DebuggerStore } from './debuggerStore';
import { edgeKey } from './fold';
import { SLOW_MS } from './pending';

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

const names = Object.keys(RECORDINGS) as (keyof typeof RECORDINGS)[];
const cases = Array.from({ length: 70 }, (_, seed) => ({ seed, name: names[seed % names.length] }));

test.each(cases)('converges, whatever the way does to messages: $name $seed', async context => {
  const random = generator(context.seed + 1);
  const recording = RECORDINGS[context.name ?? 'mlp'];
  const kernel = new Player(recording);
  const store = new DebuggerStore(kernel, { schedule: callback => callback() });
  const { length } = recording.records;
  const settle = () => vi.advanceTimersByTimeAsync(20);
  await settle();
  kernel.transport = unreliable(random);
  for (let turn = 0; turn < 40; turn++) {
    const acts = [
      () => store.step(random(3)),
      () => store.back(random(3)),
      () => store.seek(random(length + 1)),
      () => store.continue(),
      () => store.toggleBreakpoint(random(recording.snapshot.graph.nodes.length)),
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
  kernel.moveTo(kernel.position === 0 ? 1 : kernel.position - 1);
  await vi.advanceTimersByTimeAsync(SLOW_MS + 50);

  const session = store.state.value.session;
  const run = kernel.run();
  expect(session?.revision).toBe(kernel.revision);
  expect(session?.run.position).toBe(kernel.position);
  expect(recording.snapshot.graph.nodes.map(({ id }) => session?.fold.node(id))).toEqual(run.nodes);
  expect(session?.fold.queue).toEqual(run.ready);
  expect(session?.fold.waiting).toEqual(run.buffers);
  expect(session?.fold.flows).toEqual(
    new Map(run.edges.map(({ node, edge, norm }) => [edgeKey(node, edge), norm]))
  );
  expect(session?.run.breakpoints).toEqual(run.breakpoints);

  // And the view is not deaf.
  store.seek(0);
  await settle();
  store.step();
  await settle();
  expect(store.state.value.session?.run.position).toBe(1);
  expect(store.state.value.patience).toBe('answered');
  store.dispose();
});
