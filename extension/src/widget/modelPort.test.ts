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
