import { expect, test } from 'vitest';

import type { Request } from '../protocol';
import type { Port, PortStatus } from '../store';
import { KeptOffers } from './keptOffers';
import type { Lost } from './keptOffers';

/** A way to a kernel that does what the test says. */
class Wire implements Port {
  readonly sent: Request[] = [];
  message: (message: unknown) => void = () => undefined;
  status: (status: PortStatus) => void = () => undefined;
  /** What a new look at the kernel finds. */
  found: PortStatus | null = null;

  readonly knock = (): void => {
    if (this.found) {
      this.status(this.found);
    }
  };

  send(message: Request): void {
    this.sent.push(message);
  }

  onMessage(callback: (message: unknown) => void): () => void {
    this.message = callback;
    return () => undefined;
  }

  onStatus(callback: (status: PortStatus) => void): () => void {
    this.status = callback;
    callback({ state: 'closed', another: true });
    return () => undefined;
  }
}

function connected(): { wire: Wire; offers: KeptOffers; lost: [string, Lost][] } {
  const wire = new Wire();
  const lost: [string, Lost][] = [];
  const offers = new KeptOffers(wire, (session, how) => lost.push([session, how]), wire.knock);
  wire.status({ state: 'connecting' });
  return { wire, offers, lost };
}

test('a backward is asked for when there is a way, and may be kept or dropped', async () => {
  const { wire, offers, lost } = connected();
  const first = offers.ask('kept-1-a:3');
  expect(wire.sent).toEqual([]);
  wire.status({ state: 'open' });
  const second = offers.ask('kept-1-a:4');
  expect(wire.sent).toEqual([
    { type: 'is_kept', request: 1, session: 'kept-1-a:3' },
    { type: 'is_kept', request: 2, session: 'kept-1-a:4' }
  ]);
  for (const strange of [null, 'done', { type: 'done', request: 9 }, { type: 'roll_call' }]) {
    wire.message(strange);
  }
  wire.message({ type: 'failed', request: 2, message: 'no' });
  wire.message({ type: 'done', request: 1 });
  expect(await first).toBe(true);
  expect(await second).toBe(false);
  expect(lost).toEqual([['kept-1-a:4', 'dropped']]);
});

test('with its kernel all that was offered is lost, also what was kept before', async () => {
  const { wire, offers, lost } = connected();
  wire.status({ state: 'open' });
  const first = offers.ask('kept-1-a:3');
  wire.message({ type: 'done', request: 1 });
  expect(await first).toBe(true);
  const second = offers.ask('kept-1-a:4');
  wire.status({ state: 'closed' });
  expect(await second).toBe(false);
  expect(await offers.ask('kept-1-a:3')).toBe(false);
  expect(lost).toEqual([
    ['kept-1-a:3', 'restarted'],
    ['kept-1-a:4', 'restarted'],
    ['kept-1-a:3', 'restarted']
  ]);
});

test('a kernel that was restarted and has run the cell again is asked', async () => {
  const { wire, offers, lost } = connected();
  wire.status({ state: 'open' });
  wire.status({ state: 'closed', reason: 'The kernel was restarted.' });
  wire.found = { state: 'connecting' };
  const again = offers.ask('kept-1-b:3');
  expect(lost).toEqual([]);
  wire.status({ state: 'open' });
  wire.message({ type: 'done', request: 1 });
  expect(await again).toBe(true);
});
