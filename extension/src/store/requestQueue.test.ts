import { afterEach, beforeEach, expect, test, vi } from 'vitest';

import { Malformed } from '../protocol';
import type { Request, Unnumbered } from '../protocol';
import { RequestQueue, SILENT_MS, SLOW_MS } from './requestQueue';
import type { Want } from './requestQueue';

const STEP: Unnumbered = { type: 'step', session: 's1', count: 1 };
const SINCE: Unnumbered = { type: 'since', session: 's1', revision: 1 };
const PAUSE: Unnumbered = { type: 'pause', session: 's1' };
const MEMORY: Unnumbered = { type: 'get_memory', session: 's1' };

let sent: Request[];
let errors: unknown[];
let refuses: boolean;
let changed: number;
let queue: RequestQueue;

const numbers = (): number[] => sent.map(({ request }) => request);
const done = (request = 0): unknown => ({ type: 'done', request, session: 's1', revision: 1 });
const failed = (request = 0): unknown => ({
  type: 'failed',
  request,
  session: 's1',
  message: 'No.',
  closed: false
});
/** What is under way, of these. */
const waiting = (...types: Request['type'][]): Request['type'][] =>
  types.filter(type => queue.has(type));

beforeEach(() => {
  vi.useFakeTimers();
  [sent, errors, refuses, changed] = [[], [], false, 0];
  const send = (request: Request): void => {
    if (refuses) {
      throw new Error('the comm is closed');
    }
    sent.push(request);
  };
  queue = new RequestQueue(
    { send, onMessage: () => () => undefined },
    () => changed++,
    error => errors.push(error)
  );
});

afterEach(() => {
  queue.forget();
  vi.useRealTimers();
});

test('each request has a number, and the message with that number answers it', () => {
  queue.send(STEP);
  queue.send(PAUSE);
  const [step = 0, pause = 0] = numbers();
  expect(pause).toBe(step + 1);
  expect(queue.receive(done(pause))).toMatchObject({ question: PAUSE, fits: true });
  expect(queue.receive(done(step))).toMatchObject({ question: STEP, fits: true });
  expect(queue.receive(done(step))).toMatchObject({ question: undefined, fits: true });
  expect(queue.patience).toBe('answered');
});

test('what another display of the widget asked is not received', () => {
  queue.send(STEP);
  expect(queue.receive(done((numbers()[0] ?? 0) + 1))).toBeNull();
  expect(waiting('step')).toEqual(['step']);
});

test('a message of a type that answers another request does not fit; a failure always does', () => {
  queue.send(MEMORY);
  expect(queue.receive(done(numbers()[0]))).toMatchObject({ question: MEMORY, fits: false });
  queue.send(MEMORY);
  expect(queue.receive(failed(numbers()[1]))).toMatchObject({ question: MEMORY, fits: true });
});

test('a message that cannot be read answers its request all the same', () => {
  queue.send(STEP);
  const received = queue.receive({ type: 'done', request: numbers()[0], session: 7 });
  expect(received?.message).toBeInstanceOf(Malformed);
  expect(received).toMatchObject({ question: STEP, fits: false });
  expect(queue.receive('what?')).toMatchObject({ question: undefined, fits: false });
});

test('an answer says that those to earlier requests were lost', () => {
  queue.send(MEMORY);
  queue.send(STEP);
  queue.receive(done(numbers()[1]));
  expect(waiting('get_memory', 'step')).toEqual([]);
});

test('a pause is answered at once, and a read may overtake a move', () => {
  queue.send(STEP);
  queue.send(SINCE);
  queue.send(PAUSE);
  const [, since, pause] = numbers();
  queue.receive(done(pause));
  expect(waiting('step', 'since', 'pause')).toEqual(['step', 'since']);
  queue.receive(done(since));
  expect(waiting('step', 'since')).toEqual(['step']);
});

test('a want is asked for once, and again when it is about something else', () => {
  const want = (about: string): Want[] => [{ request: MEMORY, about }];
  queue.ask(want('1'));
  queue.ask(want('1'));
  queue.ask(want('2'));
  expect(sent).toHaveLength(1);
  queue.receive(failed(numbers()[0]));
  queue.ask(want('1'));
  expect(sent).toHaveLength(1);
  queue.ask(want('2'));
  expect(sent).toHaveLength(2);
  queue.receive(failed(numbers()[1]));
  queue.forgetAnswers('get_memory');
  queue.ask(want('2'));
  expect(sent).toHaveLength(3);
});

test('one read at a time brings the view to where the session is', () => {
  queue.ask([{ request: SINCE }]);
  queue.ask([{ request: { ...SINCE, revision: 2 } }]);
  expect(sent).toHaveLength(1);
});

test('a request that the port did not take is under way no more', () => {
  refuses = true;
  queue.send(STEP);
  expect(errors).toEqual([new Error('the comm is closed')]);
  expect(queue.patience).toBe('answered');
});

test('patience ends by the clock, and begins anew when the kernel is heard', () => {
  queue.send(STEP);
  expect(queue.patience).toBe('waiting');
  const before = changed;
  vi.advanceTimersByTime(SLOW_MS + 1);
  expect(changed).toBe(before + 1);
  expect(queue.patience).toBe('slow');
  queue.heard();
  expect(queue.patience).toBe('waiting');
  vi.advanceTimersByTime(SILENT_MS + 1);
  expect(queue.patience).toBe('silent');
});
