import { expect, test } from 'vitest';

import { bytesOf, OLD_TRACES, TRACES } from '../../tests/traces';
import { DebuggerStore } from '../store';
import { bytesIn, readTraceFile } from './file';
import { readNpy } from './npy';
import { openTrace } from './open';
import { TracePort } from './tracePort';
import { BadFile, checksum, readZip, text } from './zip';

/** Of the first version, in whose texts everything has its place; and of today. */
const OLD = fileOf('mlp', OLD_TRACES);
const WHOLE = fileOf('mlp');

type Bytes = Uint8Array<ArrayBuffer>;

function fileOf(name: string, all = TRACES): Bytes {
  const found = all.find(trace => trace.name === name);
  return found ? bytesOf(found) : new Uint8Array();
}

/** An uncompressed zip. */
function zipped(records: ReadonlyMap<string, Uint8Array>): Bytes {
  const parts: Uint8Array[] = [];
  const directory: Uint8Array[] = [];
  let at = 0;
  const numbers = (...each: (readonly [number, 2 | 4])[]): Uint8Array => {
    const out = new Uint8Array(each.reduce((sum, [, size]) => sum + size, 0));
    const view = new DataView(out.buffer);
    let place = 0;
    for (const [value, size] of each) {
      if (size === 2) {
        view.setUint16(place, value, true);
      } else {
        view.setUint32(place, value, true);
      }
      place += size;
    }
    return out;
  };
  for (const [name, record] of records) {
    const called = new TextEncoder().encode(name);
    const told = [
      [0, 2],
      [0, 2],
      [0, 2],
      [0, 2],
      [checksum(record), 4],
      [record.length, 4],
      [record.length, 4],
      [called.length, 2],
      [0, 2]
    ] as const;
    directory.push(
      numbers([0x02014b50, 4], [20, 2], [20, 2], ...told, [0, 2], [0, 2], [0, 2], [0, 4], [at, 4]),
      called
    );
    const local = [numbers([0x04034b50, 4], [20, 2], ...told), called, record];
    parts.push(...local);
    at += local.reduce((sum, part) => sum + part.length, 0);
  }
  const size = directory.reduce((sum, part) => sum + part.length, 0);
  const count = records.size;
  const end = numbers(
    [0x06054b50, 4],
    [0, 2],
    [0, 2],
    [count, 2],
    [count, 2],
    [size, 4],
    [at, 4],
    [0, 2]
  );
  const all = [...parts, ...directory, end];
  const out = new Uint8Array(all.reduce((sum, part) => sum + part.length, 0));
  let place = 0;
  for (const part of all) {
    out.set(part, place);
    place += part.length;
  }
  return out;
}

/** The file with another text in a record. */
async function changed(
  name: string,
  change: (text: string) => string,
  whole = OLD
): Promise<Bytes> {
  const records = await readZip(whole);
  const record = new TextEncoder().encode(change(text(records.get(name) ?? new Uint8Array())));
  return zipped(new Map(records).set(name, record));
}

/** The file of today with another column, or something else of a table. */
function column(table: string, ...path: readonly unknown[]): Promise<Bytes> {
  type Place = Record<string, unknown>;
  const change = (each: string): string => {
    const data = JSON.parse(each) as Place;
    let place = (data['tables'] as Place)[table] as Place;
    for (const key of path.slice(0, -2)) {
      place = place[String(key)] as Place;
    }
    place[String(path.at(-2))] = path.at(-1);
    return JSON.stringify(data);
  };
  return changed('trace.json', change, WHOLE);
}

test('a zip that is made anew is read as before', async () => {
  for (const whole of [OLD, WHOLE]) {
    const file = await readTraceFile(await changed('trace.json', each => each, whole));
    expect(file.records).toHaveLength(12);
  }
});

test('a file of the first version says what one of today says', async () => {
  const [old, now] = [await readTraceFile(OLD), await readTraceFile(WHOLE)];
  expect(now.trace).toEqual(old.trace);
  expect(now.view).toEqual(old.view);
  const names = old.arrays.flatMap(({ of }) => of);
  expect(now.arrays.flatMap(({ of }) => of)).toEqual(names);
  for (const of of names) {
    const [one, other] = [old.array(of), now.array(of)];
    expect(other?.shape).toEqual(one?.shape);
    const first = (one?.shape ?? []).map(() => 0);
    expect(other?.at(first)).toEqual(one?.at(first));
  }
});

test('what is written once is one object', async () => {
  const { trace } = await readTraceFile(WHOLE);
  const [one, other] = trace.graph.nodes.filter(({ kind }) => kind === 'leaf');
  expect(one?.place ?? one?.outputs).toBeDefined();
  expect(new Set(trace.graph.nodes.map(({ place }) => place)).size).toBeLessThan(
    trace.graph.nodes.length
  );
  expect(one).not.toBe(other);
});

test.each([
  ['no zip', new Uint8Array(100), 'no zip file'],
  ['nothing', new Uint8Array(), 'no zip file'],
  ['cut short', WHOLE.slice(0, WHOLE.length - 30), 'no zip file'],
  ['no manifest', zipped(new Map()), 'there is no manifest.json'],
  [
    'another format',
    () => changed('manifest.json', each => each.replace('vizgrad trace', 'x')),
    'else'
  ],
  [
    'a later one',
    () => changed('manifest.json', each => each.replace('"version":1', '"version":99')),
    'newer'
  ],
  [
    'a larger one than a page has room for',
    () => changed('manifest.json', each => each.replace('"steps":12', '"steps":1200000')),
    /12 nodes and 1,200,000 steps, and .* are the most\. Open it in Python, where vizgrad.load_trace/
  ],
  ['no JSON', () => changed('trace.json', each => each.slice(1)), 'JSON'],
  ['deep', () => changed('view.json', () => '['.repeat(100_000)), 'read'],
  [
    'a wrong type',
    () => changed('trace.json', each => each.replace('"id":1', '"id":"1"')),
    'whole number'
  ],
  [
    'a node that is not there',
    () => changed('trace.json', each => each.replace('"node":1', '"node":99')),
    '.'
  ],
  [
    'a step of another',
    () => changed('trace.json', each => each.replace('"index":1', '"index":5')),
    'step 1'
  ],
  [
    'a drawing of others',
    () => changed('view.json', each => each.replace('"nodes":[0', '"nodes":[77')),
    '77'
  ],
  ['no tables', () => changed('trace.json', () => '{}', WHOLE), 'a table in it is damaged'],
  ['no root', () => changed('trace.json', () => '{"root":"Trace","tables":{}}', WHOLE), 'no root'],
  ['a table without end', () => column('Node', 'rows', 1e12), 'more than a page has room for'],
  ['a table that is not so long', () => column('Node', 'rows', 3), 'another length'],
  ['a length that is none', () => column('Node', 'rows', -1), 'how long it is'],
  ['a column of text for numbers', () => column('Node', 'columns', 'id', ['a']), 'another length'],
  ['an unknown column', () => column('Node', 'columns', 'id', { x: 1 }), 'unknown kind'],
  [
    'rows that are not there',
    () => column('Graph', 'columns', 'nodes', 'items', { table: 'Node', rows: { steps: [] } }),
    'another length'
  ],
  [
    'a table that comes later',
    () =>
      column('Graph', 'columns', 'nodes', 'items', {
        table: 'Trace',
        rows: { distinct: 1, of: { steps: [0] } }
      }),
    'refers to what is not there'
  ],
  [
    'lists without end',
    () => column('Graph', 'columns', 'nodes', 'lengths', { steps: [1e9] }),
    'more than a page has room for'
  ]
] as const)('is refused: %s', async (_, made, says) => {
  const bytes = typeof made === 'function' ? await made() : made;
  await expect(readTraceFile(bytes)).rejects.toThrow(BadFile);
  await expect(readTraceFile(bytes)).rejects.toThrow(says);
});

test('what is written once and meant without end is refused', async () => {
  const lists = {
    distinct: 1,
    of: { lengths: { steps: [1000] }, items: { distinct: 1, of: ['a'] } }
  };
  const many = await changed(
    'trace.json',
    each => {
      const data = JSON.parse(each) as {
        tables: Record<string, { columns: Record<string, unknown> }>;
      };
      const { Node: node, Graph: graph } = data.tables;
      if (node && graph) {
        node.columns['scope'] = lists;
        graph.columns['nodes'] = {
          lengths: { steps: [1_000_000] },
          items: { table: 'Node', rows: { distinct: 1, of: { steps: [0] } } }
        };
      }
      return JSON.stringify(data);
    },
    WHOLE
  );
  await expect(readTraceFile(many)).rejects.toThrow('hold too much');
});

test('a record that is deflated to more, or less, than it says is refused', async () => {
  const view = new DataView(WHOLE.buffer);
  for (let at = 0; at < WHOLE.length - 4; at++) {
    if (view.getUint32(at, true) === 0x02014b50 && view.getUint16(at + 10, true) === 8) {
      for (const [by, says] of [
        [-1, 'larger than it says'],
        [1, 'cut short']
      ] as const) {
        const bytes = WHOLE.slice();
        new DataView(bytes.buffer).setUint32(at + 24, view.getUint32(at + 24, true) + by, true);
        await expect(readZip(bytes)).rejects.toThrow(says);
      }
      return;
    }
  }
  throw new Error('there is no directory in it');
});

test('a file of more bytes than a page has room for is refused before it is read', async () => {
  const host = document.createElement('div');
  const long = { length: 200_000_000 } as string;
  expect(await openTrace(host, long, 'x')).toBeNull();
  const said = host.querySelector('[role=alert]')?.textContent;
  expect(said).toContain('it has 150 MB, and 100 MB are the most');
  expect(said).toContain('vizgrad.load_trace');
});

test('an array that is not as it says is refused, and objects of Python are not known', () => {
  const header = (said: string, data: number): Uint8Array => {
    const line = `${said}\n`;
    const out = new Uint8Array(10 + line.length + data);
    out.set([0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 1, 0, line.length & 255, line.length >> 8]);
    out.set(new TextEncoder().encode(line), 10);
    return out;
  };
  const said = (kind: string, shape: string): string =>
    `{'descr': '${kind}', 'fortran_order': False, 'shape': (${shape}), }`;
  expect(readNpy(header(said('<f4', '2, 3'), 24)).shape).toEqual([2, 3]);
  expect(() => readNpy(header(said('<f4', '2, 3'), 20))).toThrow('not as long');
  expect(() => readNpy(header(said('<f4', '999999999999999,'), 20))).toThrow('not as long');
  expect(() => readNpy(header(said('<f4', '9'.repeat(200)), 20))).toThrow('unknown kind');
  expect(() => readNpy(header(said('|O', '2,'), 16))).toThrow('unknown kind');
  expect(() => readNpy(header("{'descr': __import__('os')}", 16))).toThrow('unknown kind');
});

/** Random whole numbers below `limit`. */
function generator(seed: number): (limit: number) => number {
  let state = Math.imul(seed, 2_654_435_761) | 1;
  return limit => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % limit;
  };
}

const WORDS = ['null', '-1', '1e400', '99999999999', '"nan"', '[]', '{}', 'true', '""', '0.5'];

/** A word of a text exchanged, or bytes anywhere. */
async function damaged(seed: number): Promise<Bytes> {
  const random = generator(seed);
  const whole = random(2) === 0 ? OLD : WHOLE;
  if (random(3) === 0) {
    const bytes = whole.slice(0, random(8) === 0 ? random(whole.length) : whole.length);
    for (let i = 0; i <= random(6); i++) {
      bytes[random(bytes.length || 1)] = random(256);
    }
    return bytes;
  }
  const name = ['manifest.json', 'trace.json', 'view.json'][random(3)] ?? 'view.json';
  const change = (each: string): string => {
    const words = [...each.matchAll(/-?\d+(?:\.\d+)?|"[^"]*"/g)];
    const word = words[random(words.length)];
    const other = words[random(words.length)]?.[0] ?? '';
    const put = random(2) === 0 ? other : (WORDS[random(WORDS.length)] ?? '');
    const at = word?.index ?? 0;
    return each.slice(0, at) + put + each.slice(at + (word?.[0].length ?? 0));
  };
  return changed(name, change, whole);
}

test('whatever is changed in a file, it is shown or refused', async () => {
  let refused = 0;
  for (let seed = 1; seed <= 300; seed++) {
    try {
      const port = new TracePort(await readTraceFile(await damaged(seed)));
      const store = new DebuggerStore(port, { schedule: callback => callback() });
      for (const act of [
        () => store.actions.seek(5),
        () => store.actions.back(),
        () => store.actions.continue()
      ]) {
        act();
        for (let i = 0; i < 6; i++) {
          await Promise.resolve();
        }
      }
      store.dispose();
    } catch (error) {
      expect(error, `seed ${seed}`).toBeInstanceOf(BadFile);
      refused += 1;
    }
  }
  expect(refused).toBeGreaterThan(50);
  expect(refused).toBeLessThan(300);
});

function encoded(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, byte => String.fromCharCode(byte)).join(''));
}

test('what cannot be read is said in words', async () => {
  const host = document.createElement('div');
  expect(await openTrace(host, btoa('<img src=x>'), 'x')).toBeNull();
  expect(host.querySelector('[role=alert]')?.textContent).toContain('not a readable trace');
  expect(await openTrace(host, '%', 'x')).toBeNull();
  expect(host.querySelector('[role=alert]')?.textContent).toContain('not a readable trace');
  expect(bytesIn('AAE=')).toEqual(new Uint8Array([0, 1]));
});

test('it is said that a trace is read, and nothing is shown of one that nobody waits for', async () => {
  const host = document.createElement('div');
  const ending = new AbortController();
  const view = openTrace(host, encoded(WHOLE), 'x', ending.signal);
  expect(host.querySelector('[role=status]')?.textContent).toBe('Reading the trace…');
  ending.abort();
  expect(await view).toBeNull();
  expect(host.querySelector('.vg-root')).toBeNull();
});

test('names of strangers are text', async () => {
  const host = document.createElement('div');
  document.body.append(host);
  const view = await openTrace(host, encoded(fileOf('hostile')), '<b>x</b>');
  for (let i = 0; i < 50; i++) {
    await Promise.resolve();
  }
  expect(host.textContent).toContain('<img src=x onerror=alert(1)>');
  expect(host.querySelector('img, script')).toBeNull();
  view?.unmount();
});
