import { fireEvent, waitFor } from '@testing-library/preact';
import { afterEach, expect, test } from 'vitest';

import { PREFERENCES } from '../protocol';
import { opened } from '../../tests/opened';
import { RECORDINGS } from '../../tests/recordings';
import { writeHost } from './host';
import { remembered } from './layout';

const page = opened();
const teaches = (): boolean => page.root.classList.contains('vg-present');

afterEach(() => {
  localStorage.clear();
  writeHost(document, { commands: [], keys: {}, preferences: PREFERENCES });
});

test('the layout to teach stays when the cell is run again', async () => {
  await page.open(RECORDINGS.mlp);
  expect(teaches()).toBe(false);
  fireEvent.click(page.button('Teach layout'));
  await waitFor(() => expect(teaches()).toBe(true));
  page.view.unmount();
  await page.open(RECORDINGS.mlp);
  expect(teaches()).toBe(true);
  fireEvent.click(page.button('Teach layout'));
  await waitFor(() => expect(teaches()).toBe(false));
  expect(remembered().teach).toBe(null);
});

test('what is remembered comes before the setting', async () => {
  writeHost(document, {
    commands: [],
    keys: {},
    preferences: { ...PREFERENCES, presentation: true }
  });
  await page.open(RECORDINGS.mlp);
  expect(teaches()).toBe(true);
  fireEvent.click(page.button('Teach layout'));
  await waitFor(() => expect(teaches()).toBe(false));
  page.view.unmount();
  await page.open(RECORDINGS.mlp);
  expect(teaches()).toBe(false);
});
