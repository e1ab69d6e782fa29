import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';

import { Player } from '../../tests/player';
import { RECORDINGS } from '../../tests/recordings';
import type { RecordedView } from '../../tests/recordings';
import type { Message, Request, Shown } from '../protocol';
import { DebuggerStore } from './debuggerStore';

const { loop, mlp } = RECORDINGS;
const [open, closed] = loop.views as [RecordedView, RecordedView];
/** Nodes that are not drawn. */
const [HIDDEN, OTHER] = [40, 41] as const;

let kernel: Player;
let store: DebuggerStore;

const state = () => store.state.value;
const asked = <T extends Request['type']>(type: T) =>
  kernel.requests.filter((each): each is Extract<Request, { type: T }> => each.type === type);
const settle = () => vi.advanceTimersByTimeAsync(20);

async function attach(recording = loop): Promise<void> {
  kernel = new Player(recording);
  store = new DebuggerStore(kernel, { schedule: callback => setTimeout(callback, 1) });
  await settle();
  kernel.requests.length = 0;
}

beforeEach(async () => {
  vi.useFakeTimers();
  await attach();
});

afterEach(() => {
  store.dispose();
  vi.useRealTimers();
});

describe('what is drawn', () => {
  test('another folding is looked at, and all is taken from there', async () => {
    const { names, history } = state().session ?? {};
    store.fold({ close: [0] });
    expect(asked('look')).toMatchObject([{ folding: closed.folding, digest: open.drawing.digest }]);
    await settle();
    expect(state().session?.drawing).toEqual(closed.drawing);
    expect(state().session?.folding).toEqual(closed.folding);
    expect(state().session?.names).toBe(names);
    expect(state().session?.history).toBe(history);
    [6, 11, 17].forEach(position => kernel.moveTo(position));
    expect(asked('look')).toHaveLength(1);
    expect(state().session?.fold.tally(1)).toEqual(closed.standings.get(17)?.boxes[1]);
  });

  test('a person who goes on while the kernel draws gets the last', async () => {
    store.fold({ close: [0] });
    store.fold({ open: [0, 1, 2], cell: { group: 0, cell: 5 } });
    store.fold({ open: [], cell: { group: 0, cell: null } });
    expect(asked('look')).toHaveLength(1);
    await settle();
    expect(asked('look').map(({ folding }) => folding)).toEqual([
      closed.folding,
      { opened: [0, 1, 2], closed: [], cells: [], near: null }
    ]);
  });

  test('steps that come meanwhile are not lost', async () => {
    const late: Message[] = [];
    kernel.transport = message => {
      if (message.type === 'shown') {
        late.push(message);
      }
      return message.type === 'shown' ? [] : [message];
    };
    store.fold({ close: [0] });
    await settle();
    [6, 11, 17].forEach(position => kernel.moveTo(position));
    expect(state().session?.run.position).toBe(17);
    kernel.transport = message => [message];
    late.forEach(message => kernel.emit(message)); // How it was at the start.
    expect(state().session?.run.position).toBe(17);
    expect(state().session?.drawing).toEqual(open.drawing);
    await settle();
    expect(state().session?.drawing).toEqual(closed.drawing);
    expect(state().session?.fold.tally(1)).toEqual(closed.standings.get(17)?.boxes[1]);
  });

  test('a drawing that was lost on the way is asked for again', async () => {
    kernel.transport = message => (message.type === 'shown' ? [] : [message]);
    store.fold({ close: [0] });
    await settle();
    kernel.transport = message => [message];
    store.watchMemory(true);
    await settle();
    expect(asked('look')).toHaveLength(2);
    expect(state().session?.drawing).toEqual(closed.drawing);
  });

  test('a folding that the kernel refuses is told of once, and asked for once', async () => {
    kernel.transport = message =>
      message.type === 'shown'
        ? [
            {
              type: 'failed',
              request: message.request,
              session: 's1',
              message: 'Not so.',
              closed: false
            }
          ]
        : [message];
    store.fold({ close: [0] });
    await settle();
    store.watchMemory(true);
    await settle();
    expect(asked('look')).toHaveLength(1);
    expect(state().notice?.text).toBe('Not so.');
    expect(state().session?.drawing).toEqual(open.drawing);
  });

  test('a drawing that refers to what there is not is an error shown, and nothing changes', async () => {
    kernel.transport = message =>
      message.type === 'shown' && message.drawing
        ? [{ ...message, drawing: { ...message.drawing, boxes: [] } }]
        : [message];
    store.fold({ close: [0] });
    await settle();
    expect(state().notice?.text).toContain('drawing.lines.source: expected a number below 0');
    expect(state().session?.drawing).toEqual(open.drawing);
    expect(asked('look')).toHaveLength(1);
  });

  test('a node that is selected and not drawn is to be seen; one that is drawn changes nothing', async () => {
    store.select(open.drawing.nodes[0]?.id ?? 0);
    await settle();
    expect(asked('look')).toEqual([]);
    store.select(HIDDEN);
    expect(asked('look')).toMatchObject([{ folding: { near: HIDDEN } }]);
  });

  test('groups open around what runs next, and nowhere else when it has gone on', async () => {
    const next = () => state().session?.run.current ?? -1;
    for (const position of [6, 11]) {
      kernel.moveTo(position);
      await settle();
      expect(state().session?.fold.draws(next())).toBe(false);
      expect(asked('look').at(-1)).toMatchObject({
        folding: { near: next(), opened: [], closed: [] }
      });
    }
  });

  test('they stay as they are while another node is selected, and where they were closed by hand', async () => {
    store.select(open.drawing.nodes[1]?.id ?? 0);
    kernel.moveTo(6);
    await settle();
    expect(asked('look')).toEqual([]);
    store.fold({ close: [0] });
    await settle();
    store.home();
    await settle();
    expect(asked('look').every(({ folding }) => folding.near === null)).toBe(true);
    expect(state().view.folding.near).toBeNull();
  });

  test('what could not be sent takes nothing with it', async () => {
    const sent = kernel.send.bind(kernel);
    kernel.send = request => {
      if (request.type === 'inspect') {
        throw new Error('no');
      }
      sent(request);
    };
    store.fold({ close: [0] });
    store.select(open.drawing.nodes[1]?.id ?? 0);
    await settle();
    expect(asked('look')).toHaveLength(1);
    expect(state().session?.drawing).toEqual(closed.drawing);
  });

  test('a group that is closed by hand hides the node that was to be seen', () => {
    store.fold({ near: HIDDEN });
    store.fold({ open: [1] });
    expect(state().view.folding.near).toBe(HIDDEN);
    store.fold({ close: [0] });
    expect(state().view.folding.near).toBeNull();
  });
});

describe('what is not known', () => {
  test('names that are wanted in one frame are asked for at once, and once', async () => {
    const names = state().session?.names;
    expect([HIDDEN, OTHER, HIDDEN].map(node => names?.of(node))).toEqual([
      undefined,
      undefined,
      undefined
    ]);
    expect(asked('get_names')).toEqual([]);
    const before = state().session;
    await settle();
    expect(asked('get_names').map(({ nodes }) => nodes)).toEqual([[HIDDEN, OTHER]]);
    expect(state().session).not.toBe(before);
    expect(names?.of(HIDDEN)?.name).toMatch(/Backward0$/);
    await settle();
    expect(asked('get_names')).toHaveLength(1);
  });

  test('who has no name is not asked about for ever; who was not answered is asked again', async () => {
    kernel.transport = message => (message.type === 'names' ? [] : [message]);
    state().session?.names.of(HIDDEN);
    await settle();
    kernel.transport = message =>
      message.type === 'names' ? [{ ...message, names: [] }] : [message];
    kernel.moveTo(7);
    await settle();
    await settle();
    expect(asked('get_names').map(({ nodes }) => nodes)).toEqual([[HIDDEN], [HIDDEN]]);
    kernel.moveTo(0);
    state().session?.names.of(HIDDEN);
    await settle();
    expect(asked('get_names')).toHaveLength(2);
  });

  test('visits that are listed and not known are asked for', async () => {
    kernel.moveTo(85);
    await settle();
    kernel.requests.length = 0;
    store.watchVisits({ first: 40, count: 10 });
    await settle();
    expect(asked('get_visits')).toMatchObject([{ first: 40, count: 10 }]);
    expect(state().session?.history.line(44)).toMatchObject({ index: 44 });
    store.watchVisits({ first: 45, count: 10 });
    await settle();
    expect(asked('get_visits').at(-1)).toMatchObject({ first: 50, count: 5 });
    store.watchVisits({ first: 40, count: 15 });
    await settle();
    expect(asked('get_visits')).toHaveLength(2);
  });

  test('whom the run was at last is asked for, and can be selected', async () => {
    kernel.moveTo(85);
    await settle();
    expect(asked('get_visits')).toMatchObject([{ first: 84, count: 1 }]);
    expect(state().view.selection).toBe(state().session?.run.current);
    store.selectLast();
    expect(state().view.selection).toBe(kernel.records[84]?.visit.node);
  });

  test('what a step changed is drawn before the view asks for what is read beside it', async () => {
    const drawn: number[] = [];
    store.state.subscribe(() => drawn.push(asked('inspect').length));
    kernel.moveTo(1);
    await settle();
    expect(drawn[0]).toBe(0);
    expect(asked('inspect')).toHaveLength(1);
  });

  test('memory is asked for while a panel shows it, after each change, once at a time', async () => {
    await attach(mlp);
    kernel.moveTo(1);
    await settle();
    expect(asked('get_memory')).toEqual([]);
    store.watchMemory(true);
    await settle();
    expect(state().session?.memory).toMatchObject({ held: mlp.memory.get(1)?.held, revision: 2 });
    for (const position of [2, 3, 4]) {
      kernel.moveTo(position);
    }
    expect(asked('get_memory')).toHaveLength(1);
    await settle();
    expect(state().session?.memory?.held).toBe(mlp.memory.get(4)?.held);
    expect(asked('get_memory')).toHaveLength(2);
    store.watchMemory(false);
    expect(state().session?.memory).toBeNull();
    kernel.moveTo(5);
    await settle();
    expect(asked('get_memory').length).toBeLessThan(4);
    // Who looks again, and nothing has happened since, is told again.
    for (let again = 0; again < 2; again++) {
      store.watchMemory(true);
      await settle();
      expect(state().session?.memory?.held).toBe(mlp.memory.get(5)?.held);
      store.watchMemory(false);
    }
  });

  test('other storages are asked for when the user wants to see them', async () => {
    const storages = () => state().session?.storages;
    expect(storages()?.untold).toBeGreaterThan(0);
    store.watchStorages(true);
    await settle();
    expect(asked('get_storages')).toHaveLength(1);
    expect(storages()?.untold).toBe(0);
    expect(storages()?.count).toBe(loop.storages.total);
    store.fold({ close: [0] });
    await settle();
    expect(storages()?.untold).toBe(0);
  });

  test('what is searched for is found in the kernel', async () => {
    store.view({ search: { query: 'tanh', index: -1 } });
    await settle();
    expect(state().session?.found).toMatchObject({ query: 'tanh' });
    expect(state().session?.found?.names.every(({ name }) => name === 'TanhBackward0')).toBe(true);
    store.view({ search: { query: 'tanh', index: 0 } });
    await settle();
    expect(asked('find')).toHaveLength(1);
  });

  test('who is behind what is kept looks anew', async () => {
    await attach(mlp);
    kernel.kept = 1;
    kernel.transport = () => [];
    kernel.moveTo(1);
    kernel.moveTo(2);
    kernel.moveTo(1);
    kernel.transport = message => [message];
    kernel.moveTo(0);
    await settle();
    expect(asked('since')).toHaveLength(1);
    expect(asked('look')).toHaveLength(1);
    expect(state().session?.revision).toBe(kernel.revision);
  });
});

test('another session is shown as nobody folded it', async () => {
  store.fold({ close: [0] });
  await settle();
  kernel.transport = message => [{ ...message, session: 's2' }];
  store.attach('s2');
  await settle();
  expect(asked('attach')).toMatchObject([{ session: 's2', folding: { closed: [] } }]);
  expect(state().session?.session).toBe('s2');
  expect(state().session?.drawing).toEqual(open.drawing);
  expect(state().view.folding.closed.size).toBe(0);
});

test('what was known of a session that was shown before is asked again', async () => {
  const grows = (shown: Shown): Shown => ({
    ...shown,
    standing: { ...shown.standing, grows: shown.session === 's1' }
  });
  kernel.transport = message => [message.type === 'shown' ? grows(message) : message];
  const answer = (request: number): void =>
    kernel.emit({
      type: 'lane',
      request,
      session: 's1',
      revision: 1,
      node: null,
      made: [],
      at: [],
      drawing: null
    });
  store.attach('s1');
  await settle();
  answer(Math.max(...asked('get_lane').map(({ request }) => request)));
  await settle();
  expect(state().session?.lane).not.toBeNull();
  const before = asked('get_lane').length;
  // There and back: of the other one no lane is asked for.
  for (const session of ['s2', 's1']) {
    kernel.emit(grows({ ...kernel.shown(kernel.requests.at(-1)?.request ?? 0), session }));
    store.attach(session);
    const number = asked('attach').at(-1)?.request ?? 0;
    kernel.emit(grows({ ...kernel.shown(number), session }));
    await settle();
    expect(state().session?.session).toBe(session);
  }
  expect(asked('get_lane').length).toBeGreaterThan(before);
});
