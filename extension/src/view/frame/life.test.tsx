import { fireEvent, waitFor, within } from '@testing-library/preact';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

import { openView } from '..';
import type { MountedView } from '..';
import { Player } from '../../../tests/player';
import { RECORDINGS } from '../../../tests/recordings';

let host: HTMLElement;
let kernel: Player;
let view: MountedView;

async function mount(options = {}): Promise<void> {
  kernel = new Player(RECORDINGS.mlp);
  view = openView(host, kernel, options);
  await waitFor(() => expect(host.querySelector('[data-layout="done"]')).not.toBeNull());
}

beforeEach(() => {
  host = document.createElement('div');
  document.body.append(host);
  vi.spyOn(Element.prototype, 'getBoundingClientRect').mockReturnValue(
    new DOMRect(0, 0, 1000, 600)
  );
});

afterEach(() => {
  view.unmount();
  host.remove();
});

const button = (name: string): HTMLElement => within(host).getByRole('button', { name });

test('a closed session says why', async () => {
  await mount();
  fireEvent.click(button('Stop'));
  await within(host).findByText(/^This session is closed: it was stopped\./);
  expect(button('Step').getAttribute('aria-disabled')).toBe('true');
});

test('sessions are named by variable and cell, with how far they are', async () => {
  await mount({ followNewest: true });
  kernel.emit({
    type: 'sessions',
    request: 0,
    vizgrad_version: '0',
    protocol_version: 3,
    sessions: [
      { session: 's1', title: 'loss', cell: 'In [7]', status: 'paused', position: 0, total: 12 },
      { session: 's2', title: '', cell: '', status: 'finished', position: 3, total: 3 }
    ]
  });
  const names = async (): Promise<(string | null)[]> =>
    (await within(host).findAllByRole('option')).map(({ textContent }) => textContent);
  await waitFor(async () =>
    expect(await names()).toEqual(['loss, In [7], 0 of 12', 's2, 3 of 3, finished'])
  );
});
