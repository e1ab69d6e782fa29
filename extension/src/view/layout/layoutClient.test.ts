import { afterEach, beforeEach, expect, test, vi } from 'vitest';

import { LayoutClient } from './layoutClient';
import type { LayoutWorker, Result } from './layoutClient';
import type { LayoutAnswer, LayoutQuestion } from './worker';

const input = {
  items: [{ key: 'n0', width: 72, height: 36, parent: null }],
  links: [],
  clusters: []
};
const JSON_OF_N0 = '{"bb": "0,0,72,36", "objects": [{"name": "n0", "pos": "36,18"}]}';

class FakeWorker implements LayoutWorker {
  onmessage: LayoutWorker['onmessage'] = null;
  onerror: LayoutWorker['onerror'] = null;
  readonly asked: LayoutQuestion[] = [];
  terminated = false;

  postMessage(message: LayoutQuestion): void {
    this.asked.push(message);
  }

  terminate(): void {
    this.terminated = true;
  }

  say(data: LayoutAnswer): void {
    this.onmessage?.({ data } as MessageEvent<LayoutAnswer>);
  }
}

let workers: FakeWorker[];
let results: Result[];
const done = (result: Result) => results.push(result);
const start = () =>
  new LayoutClient(() => {
    const worker = new FakeWorker();
    workers.push(worker);
    return worker;
  });

beforeEach(() => {
  vi.useFakeTimers();
  workers = [];
  results = [];
});
afterEach(() => vi.useRealTimers());

test('Graphviz answers in time', () => {
  const client = start();
  client.layout(input, done);
  workers[0]?.say({ id: 0 });
  workers[0]?.say({ id: 1, json: JSON_OF_N0 });
  expect(results[0]?.layout.engine).toBe('graphviz');
  vi.advanceTimersByTime(60_000);
  expect(results).toHaveLength(1);
  expect(workers).toHaveLength(1);
});

test('one that takes too long is terminated, replaced, and said', () => {
  const client = start();
  workers[0]?.say({ id: 0 });
  client.layout(input, done);
  vi.advanceTimersByTime(2999);
  expect(results).toEqual([]);
  vi.advanceTimersByTime(2);
  expect(results[0]?.layout.engine).toBe('layered');
  expect(results[0]?.reason).toBe('Graphviz took longer than 3 s');
  expect(workers[0]?.terminated).toBe(true);
  client.layout(input, done);
  expect(workers).toHaveLength(2);
});

test('one that overflows its stack is replaced', () => {
  const client = start();
  client.layout(input, done);
  workers[0]?.say({ id: 0 });
  workers[0]?.say({ id: 1, error: 'RangeError: Maximum call stack size exceeded' });
  expect(results[0]?.reason).toBe('the graph is too deep for Graphviz');
  expect(workers[0]?.terminated).toBe(true);
});

test('a new graph cancels the one before', () => {
  const client = start();
  client.layout(input, done);
  client.layout(input, done);
  expect(workers[0]?.terminated).toBe(true);
  workers[1]?.say({ id: 0 });
  workers[1]?.say({ id: 2, json: JSON_OF_N0 });
  expect(results).toHaveLength(1);
});

test('a page that forbids workers gets the simple layout, and is not asked again', () => {
  let tried = 0;
  const client = new LayoutClient(() => {
    tried++;
    throw new Error('forbidden by policy');
  });
  client.layout(input, done);
  client.layout(input, done);
  expect(results.map(result => result.reason)).toEqual(Array(2).fill('forbidden by policy'));
  expect(tried).toBe(1);
});

test('WebAssembly that cannot be loaded is the same', () => {
  const client = start();
  workers[0]?.say({ id: 0, error: 'CompileError' });
  client.layout(input, done);
  expect(results[0]?.reason).toBe('CompileError');
  expect(workers).toHaveLength(1);
});

test('nonsense from Graphviz is not drawn', () => {
  const client = start();
  client.layout(input, done);
  workers[0]?.say({ id: 0 });
  workers[0]?.say({ id: 1, json: '{' });
  expect(results[0]?.layout.engine).toBe('layered');
});

test('after dispose nothing comes', () => {
  const client = start();
  client.layout(input, done);
  client.dispose();
  vi.advanceTimersByTime(60_000);
  expect(results).toEqual([]);
  expect(workers[0]?.terminated).toBe(true);
});
