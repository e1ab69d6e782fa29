import { expect, test } from 'vitest';

import { bytesOf, TRACES } from '../../tests/traces';
import { DebuggerStore } from '../store';
import { readTraceFile } from './file';
import { readNpy } from './npy';
import { bytesIn, openTrace } from './open';
import { TracePort } from './tracePort';
import { BadFile, checksum, readZip, text } from './zip';

const WHOLE = fileOf('mlp');

function fileOf(name: string): Uint8Array {
  const found = TRACES.find(trace => trace.name === name);
  return found ? bytesOf(found) : new Uint8Array();
}

/** An uncompressed zip. */
function zipped(records: ReadonlyMap<string, Uint8Array>): Uint8Array {
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
function changed(name: string, change: (text: string) => string): Uint8Array {
  const records = readZip(WHOLE);
  const record = new TextEncoder().encode(change(text(records.get(name) ?? new Uint8Array())));
  return zipped(new Map(records).set(name, record));
}

test('a zip that is made anew is read as before', () => {
  expect(readTraceFile(changed('trace.json', each => each)).records).toHaveLength(12);
});

test.each([
  ['no zip', new Uint8Array(100), 'no zip file'],
  ['nothing', new Uint8Array(), 'no zip file'],
  ['cut short', WHOLE.subarray(0, WHOLE.length - 30), 'no zip file'],
  ['no manifest', zipped(new Map()), 'there is no manifest.json'],
  ['another format', changed('manifest.json', each => each.replace('vizgrad trace', 'x')), 'else'],
  [
    'a later one',
    changed('manifest.json', each => each.replace('"version":1', '"version":2')),
    'newer'
  ],
  ['no JSON', changed('trace.json', each => each.slice(1)), 'JSON'],
  ['deep', changed('view.json', () => '['.repeat(100_000)), 'read'],
  [
    'a wrong type',
    changed('trace.json', each => each.replace('"id":1', '"id":"1"')),
    'whole number'
  ],
  [
    'a node that is not there',
    changed('trace.json', each => each.replace('"node":1', '"node":99')),
    '.'
  ],
  [
    'a step of another',
    changed('trace.json', each => each.replace('"index":1', '"index":5')),
    'step 1'
  ],
  [
    'a drawing of others',
    changed('view.json', each => each.replace('"nodes":[0', '"nodes":[77')),
    '77'
  ]
] as const)('is refused: %s', (_, bytes, says) => {
  expect(() => readTraceFile(bytes)).toThrow(BadFile);
  expect(() => readTraceFile(bytes)).toThrow(says);
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
function damaged(seed: number): Uint8Array {
  const random = generator(seed);
  if (random(3) === 0) {
    const bytes = WHOLE.slice(0, random(8) === 0 ? random(WHOLE.length) : WHOLE.length);
    for (let i = 0; i <= random(6); i++) {
      bytes[random(bytes.length || 1)] = random(256);
    }
    return bytes;
  }
  const name = ['manifest.json', 'trace.json', 'view.json'][random(3)] ?? 'view.json';
  return changed(name, each => {
    const words = [...each.matchAll(/-?\d+(?:\.\d+)?|"[^"]*"/g)];
    const word = words[random(words.length)];
    const other = words[random(words.length)]?.[0] ?? '';
    const put = random(2) === 0 ? other : (WORDS[random(WORDS.length)] ?? '');
    const at = word?.index ?? 0;
    return each.slice(0, at) + put + each.slice(at + (word?.[0].length ?? 0));
  });
}

test('whatever is changed in a file, it is shown or refused', async () => {
  let refused = 0;
  for (let seed = 1; seed <= 300; seed++) {
    try {
      const port = new TracePort(readTraceFile(damaged(seed)));
      const store = new DebuggerStore(port, { schedule: callback => callback() });
      for (const act of [() => store.seek(5), () => store.back(), () => store.continue()]) {
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

test('what cannot be read is said in words', () => {
  const host = document.createElement('div');
  expect(openTrace(host, new TextEncoder().encode('<img src=x>'), 'x')).toBeNull();
  expect(host.querySelector('[role=alert]')?.textContent).toContain('no trace that can be read');
  expect(bytesIn('AAE=')).toEqual(new Uint8Array([0, 1]));
});

test('names of strangers are text', async () => {
  const host = document.createElement('div');
  document.body.append(host);
  const hostile = fileOf('hostile');
  const view = openTrace(host, hostile, '<b>x</b>');
  for (let i = 0; i < 50; i++) {
    await Promise.resolve();
  }
  expect(host.textContent).toContain('<img src=x onerror=alert(1)>');
  expect(host.querySelector('img, script')).toBeNull();
  view?.unmount();
});
