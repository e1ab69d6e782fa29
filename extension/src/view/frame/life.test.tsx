import { fireEvent, waitFor, within } from '@testing-library/preact';
import { expect, test, vi } from 'vitest';

import { opened } from '../../../tests/opened';
import { RECORDINGS } from '../../../tests/recordings';

const page = opened();

test('a closed session says why', async () => {
  await page.open(RECORDINGS.mlp);
  fireEvent.click(page.button('Stop'));
  await within(page.host).findByText(/^This session is closed: it was stopped\./);
  expect(page.button('Step').getAttribute('aria-disabled')).toBe('true');
});

test('of a closed session nothing is waited for', async () => {
  await page.open(RECORDINGS.mlp);
  fireEvent.click(page.button('Stop'));
  await within(page.host).findByText(/^This session is closed/);
  page.kernel.delay = null; // No answer comes.
  const { store } = page.view;
  store.showHeap();
  await waitFor(() => expect(store.state.value.patience).toBe('slow'), { timeout: 8000 });
  store.state.patch({ notice: { level: 'info', text: 'Drawn.' } });
  await within(page.host).findByText('Drawn.');
  expect(within(page.host).queryByText(/Waiting for the kernel/)).toBeNull();
});

test('sessions are named by variable and cell, with how far they are', async () => {
  await page.open(RECORDINGS.mlp, { followNewest: true });
  page.kernel.emit({
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
    (await within(page.host).findAllByRole('option')).map(({ textContent }) => textContent);
  await waitFor(async () =>
    expect(await names()).toEqual(['loss, In [7], 0 of 12', 's2, 3 of 3, finished'])
  );
});

test('values asked of a closed session: it is said that they are gone', async () => {
  await page.open(RECORDINGS.mlp);
  fireEvent.click(page.button('Step'));
  await page.at(1);
  fireEvent.click(page.button('Stop'));
  await within(page.host).findByText(/^This session is closed/);
  fireEvent.click(
    (await page.region('Inspector').findAllByRole('button', { name: 'Values' }))[0] as Element
  );
  await page
    .region('Inspector')
    .findByText(/^The session is closed\. Its values are no longer available/);
});

test('without a network the banner says that, and not that the kernel is busy', async () => {
  await page.open(RECORDINGS.mlp);
  const online = vi.spyOn(window.navigator, 'onLine', 'get').mockReturnValue(false);
  page.kernel.delay = null; // No answer comes.
  fireEvent.click(page.button('Step'));
  await within(page.host).findByText(
    'No connection to the server. Trying again…',
    {},
    { timeout: 4000 }
  );
  expect(within(page.host).queryByText(/busy/)).toBeNull();
  online.mockRestore();
});

test('a disabled button says why, and what to do', async () => {
  await page.open(RECORDINGS.mlp);
  fireEvent.click(page.button('Stop'));
  await within(page.host).findByText(/^This session is closed/);
  expect(page.button('Step').title).toContain(
    'Not now: the session is closed. Run the cell again.'
  );
});
