import { fireEvent, within } from '@testing-library/preact';
import { afterEach, expect, test, vi } from 'vitest';

import { opened } from '../../../tests/opened';
import { RECORDINGS } from '../../../tests/recordings';
import type { CommandName } from '../../protocol';
import { PREFERENCES } from '../../protocol';
import { writeHost } from '../host';

const page = opened();
const OFFERED: readonly CommandName[] = ['pop-out', 'open-window'];

afterEach(() => {
  delete document.documentElement.dataset['vizgrad'];
});

const found = (name: string): boolean => {
  const { queryByRole } = within(page.host);
  return (queryByRole('button', { name }) ?? queryByRole('menuitem', { name })) !== null;
};

test.each([
  [560, []],
  [720, []],
  [846, []],
  [1000, []],
  [560, OFFERED],
  [720, OFFERED],
  [846, OFFERED],
  [1000, OFFERED]
])('all is in the toolbar or in its menu: %i pixels, and %o offered', async (width, offered) => {
  writeHost(document, { commands: offered, keys: {}, preferences: PREFERENCES });
  vi.spyOn(Element.prototype, 'getBoundingClientRect').mockReturnValue(
    new DOMRect(0, 0, width, 600)
  );
  await page.open(RECORDINGS.mlp);
  const more = within(page.host).queryByRole('button', { name: 'More' });
  if (more) {
    fireEvent.click(more);
  }
  for (const name of ['Save the trace', 'Teach layout', 'Restart', 'Help']) {
    expect(`${name} ${found(name)}`).toBe(`${name} true`);
  }
  expect(found('Open in a window')).toBe(offered.length > 0);
});
