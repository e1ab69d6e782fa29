import { afterEach, beforeEach, expect, test, vi } from 'vitest';

import { MIME } from '../mime/saved';
import { DebuggerStore } from '../store';
import { NO_KERNEL, PATIENCE, pictureUntilAnswered } from './picture';

const still = {
  [MIME]: { session: 's1', title: 'loss', status: 'paused', position: 1, total: 4, view: '' },
  'text/plain': 'the graph as text',
  'image/svg+xml': '<svg xmlns="http://www.w3.org/2000/svg"/>'
};

let el: HTMLElement;
let room: HTMLElement;
let store: DebuggerStore;
let sent: string[];

beforeEach(() => {
  vi.useFakeTimers();
  sent = [];
  el = document.createElement('div');
  room = el.appendChild(document.createElement('div'));
  store = new DebuggerStore({
    send: message => sent.push(message.type),
    onMessage: () => () => undefined
  });
});

afterEach(() => {
  store.dispose();
  vi.useRealTimers();
});

const pictures = (): number => el.querySelectorAll('.vg-saved').length;

test('where nothing answers the picture that the widget brought stands instead of the view', () => {
  pictureUntilAnswered(el, room, store, still);
  expect(pictures()).toBe(0);
  vi.advanceTimersByTime(PATIENCE);
  expect(pictures()).toBe(1);
  expect(room.hidden).toBe(true);
  expect(el.querySelector('[role=note]')?.textContent).toContain(
    `${NO_KERNEL}Saved picture of loss: 1 of 4 nodes done.`
  );
  expect(el.querySelector('img')?.src).toContain('data:image/svg+xml');
  expect(el.querySelector('pre')?.textContent).toBe('the graph as text');
});

test('a person can have the view again, and the kernel is asked', () => {
  pictureUntilAnswered(el, room, store, still);
  vi.advanceTimersByTime(PATIENCE);
  const asked = sent.length;
  el.querySelector('button')?.click();
  expect(pictures()).toBe(0);
  expect(room.hidden).toBe(false);
  expect(sent.length).toBeGreaterThan(asked);
});

test('an answer, early or late, shows the view', () => {
  pictureUntilAnswered(el, room, store, still);
  vi.advanceTimersByTime(PATIENCE);
  store.state.patch({ session: {} as never });
  store.state.flush();
  expect(pictures()).toBe(0);
  expect(room.hidden).toBe(false);
  pictureUntilAnswered(el, room, store, still);
  store.state.patch({ session: {} as never });
  store.state.flush();
  vi.advanceTimersByTime(PATIENCE);
  expect(pictures()).toBe(0);
});

test('a view that went meanwhile leaves no picture', () => {
  pictureUntilAnswered(el, room, store, still)();
  vi.advanceTimersByTime(PATIENCE);
  expect(pictures()).toBe(0);
});

test('what is no picture of a session is not shown', () => {
  for (const other of [undefined, null, 'text', {}, { [MIME]: 3 }]) {
    pictureUntilAnswered(el, room, store, other);
  }
  vi.advanceTimersByTime(PATIENCE);
  expect(pictures()).toBe(0);
});
