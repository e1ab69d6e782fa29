import { expect, test } from 'vitest';

import { shownIn, toldIn } from '../../tests/standings';
import { bytesOf, OLD_TRACES, TRACES } from '../../tests/traces';
import type { FiledTrace } from '../../tests/traces';
import {
  readArrayPart,
  readInspection,
  readLane,
  readMemory,
  readStanding,
  readWithin
} from '../protocol';
import type { ArrayPart, Message, Request } from '../protocol';
import { DebuggerStore } from '../store';
import type { SessionState } from '../store';
import { readTraceFile } from './file';
import { TracePort } from './tracePort';

/** A port says the same of files of either version. */
const ALL = [...TRACES, ...OLD_TRACES.map(each => ({ ...each, name: `old ${each.name}` }))];

const ASIDE = { session: '', request: 0, revision: 0 };

/** Asks, as a view does, and gives the answer. */
class Asker {
  private readonly told: Message[] = [];

  constructor(readonly port: TracePort) {
    port.onMessage(message => this.told.push(message as Message));
  }

  async ask(request: Record<string, unknown> & { type: Request['type'] }): Promise<Message> {
    this.told.length = 0;
    this.port.send({ request: 1, session: 'trace', ...request } as unknown as Request);
    await Promise.resolve();
    await Promise.resolve();
    return this.told.at(-1) as Message;
  }
}

async function portOf(trace: FiledTrace & { name: string }): Promise<TracePort> {
  return new TracePort(await readTraceFile(bytesOf(trace)), trace.name);
}

async function settled(): Promise<void> {
  for (let i = 0; i < 20; i++) {
    await Promise.resolve();
  }
}

/** Without what only who looks closely is told: what a step back gives back has it. */
function coarse(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(coarse);
  }
  if (typeof value !== 'object' || value === null) {
    return value;
  }
  const close = ['heat', 'histogram', 'phases'];
  const fields = Object.entries(value).filter(([key]) => !close.includes(key));
  return Object.fromEntries(fields.map(([key, field]) => [key, coarse(field)]));
}

function shown(store: DebuggerStore): SessionState {
  return store.state.value.session as SessionState;
}

test.each(ALL)(
  '$name: the view stands where it stands in Python, at every position',
  async trace => {
    const { standings } = trace;
    const port = await portOf(trace);
    const store = new DebuggerStore(port, { schedule: callback => callback() });
    await settled();
    const positions = Object.keys(standings).map(Number);
    for (const position of [...positions, ...positions.toReversed(), 0, positions.length - 1]) {
      store.actions.seek(position);
      await settled();
      const standing = readStanding(standings[position] ?? standings[0]);
      if (!(position in standings)) {
        continue;
      }
      // Which groups are open is another thing: the selection opened some.
      store.view({ follow: false, selection: null });
      store.fold({ near: null });
      await settled();
      const state = shown(store);
      expect(state.run.position).toBe(position);
      expect(coarse(shownIn(state, standing))).toEqual(coarse(toldIn(state, standing)));
    }
    expect(store.state.value.notice).toBeNull();
    store.dispose();
  }
);

test.each(TRACES)(
  '$name: opens where it was left, and at its start where it had finished',
  async trace => {
    const file = await readTraceFile(bytesOf(trace));
    const { length } = file.records;
    for (const done of [Math.min(2, length), length]) {
      const records = file.records.slice(0, done);
      const last = records.at(-1);
      const isLeft =
        file.trace.start !== null && (last?.current != null || last?.visit.error !== '');
      const store = new DebuggerStore(new TracePort({ ...file, records }), {
        schedule: callback => callback()
      });
      await settled();
      const { run } = shown(store);
      expect([run.position, run.recorded]).toEqual([isLeft ? done : 0, done]);
      const odd = file.view.stops.find(({ position }) => position === done);
      expect(run.stopped).toEqual(isLeft && odd ? odd : null);
      store.dispose();
    }
  }
);

test('in a loop that no drawing has open a step asks for it once', async () => {
  const port = await portOf(TRACES.find(({ name }) => name === 'turns') as (typeof TRACES)[0]);
  const asked: Request[] = [];
  const send = port.send.bind(port);
  port.send = request => {
    asked.push(request);
    if (asked.length < 100) {
      send(request);
    }
  };
  const store = new DebuggerStore(port, { schedule: callback => callback() });
  await settled();
  for (const position of [1, 2, 3, 4, 5, 4, 3]) {
    asked.length = 0;
    store.actions.seek(position);
    await settled();
    expect(asked.filter(({ type }) => type === 'look').length).toBeLessThan(2);
    expect(shown(store).run).toMatchObject({ position, current: position });
  }
  store.dispose();
});

test.each(ALL)('$name: what is told about nodes, and what is held, is the same', async trace => {
  const { inspections, memory } = trace;
  const asker = new Asker(await portOf(trace));
  await asker.ask({ type: 'attach', folding: { opened: [], closed: [], cells: [], near: null } });
  for (const [position, nodes] of Object.entries(inspections)) {
    await asker.ask({ type: 'seek', position: Number(position) });
    for (const [node, told] of nodes.entries()) {
      const answer = await asker.ask({ type: 'inspect', node });
      const expected = readInspection({ ...told, ...ASIDE });
      // Python tells of all storages that it knows at once, and of none that was released.
      const released = (each: { state: string; name: string }) =>
        each.state === 'freed' ? { name: each.name } : each;
      const plain = (value: typeof expected) => ({
        ...value,
        ...ASIDE,
        storages: [],
        node: { ...value.node, saved: value.node.saved.map(released) }
      });
      expect(plain(answer as typeof expected)).toEqual(plain(expected));
    }
  }
  for (const [position, told] of Object.entries(memory)) {
    await asker.ask({ type: 'seek', position: Number(position) });
    const answer = await asker.ask({ type: 'get_memory' });
    expect({ ...answer, ...ASIDE }).toEqual(readMemory({ ...told, ...ASIDE }));
  }
});

test.each(ALL)('$name: parts of arrays are the same', async trace => {
  const asker = new Asker(await portOf(trace));
  await asker.ask({ type: 'seek', position: 1e6 });
  for (const [number, told] of trace.parts.entries()) {
    const expected = readArrayPart({ ...told, ...ASIDE });
    const { of } = expected;
    const range =
      number % 2 === 0
        ? { at: [], rows: null, columns: null }
        : { at: [1], rows: [1, 3], columns: [0, 2] };
    const answer = (await asker.ask({ type: 'get_part', of, ...range })) as ArrayPart;
    expect(answer.part?.shape).toEqual(expected.part?.shape);
    expect(answer.part?.at).toEqual(expected.part?.at);
    expect(answer.part?.blocks).toEqual(expected.part?.blocks);
    if (expected.part?.blocks) {
      expect(answer.part?.cut).toEqual(expected.part.cut);
    }
  }
});

test('small steps lead within a node to where they lead in Python, and lanes are the same', async () => {
  const trace = TRACES.find(({ name }) => name === 'lanes') as FiledTrace & { name: string };
  const port = await portOf(trace);
  const store = new DebuggerStore(port, { schedule: callback => callback() });
  const asker = new Asker(port);
  await settled();
  let lane: unknown;
  for (const place of trace.places ?? []) {
    const { move } = place;
    if (move === 'step_in') {
      store.actions.stepIn();
    } else if (move === 'step_out') {
      store.actions.stepOut();
    } else {
      store.actions.stage(move === 'stage' ? 1 : -1);
    }
    await settled();
    const { run } = shown(store);
    expect(run.position).toBe(place.position);
    expect(run.within).toEqual(place.within && readWithin(place.within));
    const answer = await asker.ask({ type: 'get_lane' });
    lane = place.lane ?? lane;
    const told = readLane({ ...(lane as object), ...ASIDE });
    expect({ ...answer, ...ASIDE }).toEqual({ ...told, ...ASIDE, type: 'lane', can_debug: false });
    // The view has asked for it by itself.
    const drawn = shown(store).lane;
    expect(drawn?.node).toBe(told.node);
    expect(drawn?.drawing).toEqual(told.drawing);
  }
  expect(store.state.value.notice).toBeNull();
  store.dispose();
});
