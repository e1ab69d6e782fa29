import { expect, test } from 'vitest';

import type { PortStatus } from '../store';
import { watchKernel } from './kernelWatch';

class FakeSignal {
  readonly slots = new Set<(sender: unknown, value: unknown) => void>();
  connect = (slot: (sender: unknown, value: unknown) => void) => this.slots.add(slot);
  disconnect = (slot: (sender: unknown, value: unknown) => void) => this.slots.delete(slot);
  emit(value: unknown): void {
    this.slots.forEach(slot => slot(null, value));
  }
}

class FakeSession {
  statusChanged = new FakeSignal();
  kernelChanged = new FakeSignal();
  connectionStatusChanged = new FakeSignal();
}

function watched(make: (session: FakeSession) => unknown) {
  const session = new FakeSession();
  const heard: PortStatus[] = [];
  const end = watchKernel(make(session), status => heard.push(status));
  return { session, heard, end };
}

const inNotebook = (sessionContext: FakeSession): object => ({ context: { sessionContext } });

test('of a host that tells nothing the way is open', () => {
  for (const manager of [undefined, null, 'no', {}, { context: {} }, { kernel: null }]) {
    expect(watched(() => manager).heard).toEqual([{ state: 'open' }]);
  }
});

test.each([
  ['restarting', 'was restarted'],
  ['autorestarting', 'died and was restarted'],
  ['dead', 'died']
])('a kernel that is %s has lost the comm for good', (status, words) => {
  const { session, heard } = watched(inNotebook);
  session.statusChanged.emit('busy');
  session.statusChanged.emit(status);
  session.connectionStatusChanged.emit('connected');
  expect(heard).toHaveLength(2);
  expect(heard[1]?.state).toBe('closed');
  expect(heard[1]?.reason).toContain(words);
});

test('a notebook whose kernel is shut down, or is another one now', () => {
  for (const [newValue, words] of [
    [null, 'was shut down'],
    [{}, 'was replaced']
  ] as const) {
    const { session, heard } = watched(inNotebook);
    session.kernelChanged.emit({ newValue });
    expect(heard[1]?.reason).toContain(words);
  }
});

test('a connection that is lost comes back', () => {
  const { session, heard, end } = watched(kernel => ({ kernel }));
  session.connectionStatusChanged.emit('connecting');
  session.connectionStatusChanged.emit('connected');
  expect(heard.map(({ state }) => state)).toEqual(['open', 'connecting', 'open']);
  end();
  session.connectionStatusChanged.emit('connecting');
  expect(heard).toHaveLength(3);
});
