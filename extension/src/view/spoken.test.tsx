import { fireEvent, waitFor, within } from '@testing-library/preact';
import { expect, test } from 'vitest';

import { opened } from '../../tests/opened';
import { RECORDINGS } from '../../tests/recordings';

const page = opened();
const says = (what: RegExp) =>
  waitFor(() => expect(page.host.querySelector('.vg-live')?.textContent).toMatch(what));

test('it says what was opened, and which keys there are', async () => {
  await page.open(RECORDINGS.mlp);
  await says(
    /^Backward of .*: 1\d nodes, paused at 0 of 12, next MeanBackward0\. F10 steps, \? lists/
  );
});

test('it says what a person does: a step, a node, a breakpoint, going back', async () => {
  await page.open(RECORDINGS.mlp);
  fireEvent.keyDown(page.node(0), { key: 'F10' });
  await says(/^MeanBackward0 done, 1 of 12$/);
  fireEvent.keyDown(page.node(5), { key: 'Enter' });
  await says(/^TanhBackward0, waiting, 0 of 1$/);
  fireEvent.keyDown(page.node(5), { key: 'b' });
  await says(/^Breakpoint set before TanhBackward0$/);
  fireEvent.keyDown(page.node(5), { key: 'b' });
  await says(/^No breakpoint before TanhBackward0$/);
  fireEvent.keyDown(page.node(5), { key: 'Escape' });
  await says(/^Back at \w+Backward0$/);
});

test('it says what is stale, who wrote it, and the key for the next problem goes there', async () => {
  await page.open(RECORDINGS.stale);
  const stale = /saved \w+, which is stale: mul_ wrote version 1 through leaves\['w2'\]/;
  await says(stale);
  fireEvent.keyDown(page.root, { key: 'F10' });
  await says(/done, 1 of/);
  fireEvent.keyDown(page.root, { key: 'n' });
  await says(stale);
  expect(within(page.host).getByRole('treeitem', { selected: true })).toBeTruthy();
  expect(page.view.store.state.value.view.follow).toBe(false);
});
