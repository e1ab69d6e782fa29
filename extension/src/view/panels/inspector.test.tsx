import { waitFor } from '@testing-library/preact';
import { expect, test } from 'vitest';

import { opened } from '../../../tests/opened';
import { RECORDINGS } from '../../../tests/recordings';

const page = opened();

test('of another node the Inspector is read from its head', async () => {
  await page.open(RECORDINGS.mlp);
  const body = (): Element => {
    const found = page.host.querySelector('.vg-inspector')?.closest('.vg-region-body');
    return found as Element;
  };
  const shown = (): string | undefined =>
    page.host.querySelector<HTMLElement>('.vg-inspector')?.dataset['inspected'];
  const first = shown();
  body().scrollTop = 120;
  page.view.store.state.patch({ notice: { level: 'info', text: 'Drawn.' } });
  expect(body().scrollTop).toBe(120);
  page.view.store.select(3);
  await waitFor(() => expect(shown()).toBe('3'));
  expect(first).not.toBe('3');
  expect(body().scrollTop).toBe(0);
});
