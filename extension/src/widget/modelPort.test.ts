import { expect, test, vi } from 'vitest';

import { modelPort } from './modelPort';
import type { WidgetModel } from './modelPort';

test('a message reaches those who listen, until they end it', () => {
  const listeners = new Set<(content: unknown) => void>();
  const model: WidgetModel = {
    send: vi.fn(),
    on: (_, callback) => listeners.add(callback),
    off: (_, callback) => listeners.delete(callback)
  };
  const heard = vi.fn();
  const end = modelPort(model).onMessage(heard);

  listeners.forEach(listener => listener({ type: 'state' }));
  end();
  listeners.forEach(listener => listener({ type: 'state' }));

  expect(heard).toHaveBeenCalledExactlyOnceWith({ type: 'state' });
});

test('a request goes out as it is', () => {
  const model: WidgetModel = { send: vi.fn(), on: vi.fn(), off: vi.fn() };
  modelPort(model).send({ type: 'list_sessions', request: 1 });
  expect(model.send).toHaveBeenCalledExactlyOnceWith({ type: 'list_sessions', request: 1 });
});

test('of several displays of one widget the last to go says so', () => {
  const model: WidgetModel = { send: vi.fn(), on: vi.fn(), off: vi.fn() };
  const [one, other] = [modelPort(model), modelPort(model)];
  const ends = [one, other].map(port => port.onMessage(vi.fn()));
  ends[0]?.();
  one.send({ type: 'detach', request: 1 });
  expect(model.send).not.toHaveBeenCalled();
  ends[1]?.();
  other.send({ type: 'detach', request: 2 });
  expect(model.send).toHaveBeenCalledExactlyOnceWith({ type: 'detach', request: 2 });
});
