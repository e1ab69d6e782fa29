import { fireEvent, within } from '@testing-library/preact';
import { expect, test, vi } from 'vitest';

import { opened } from '../../../tests/opened';
import { RECORDINGS } from '../../../tests/recordings';

const page = opened();

test.each([560, 720, 760, 846, 1000])(
  'a trace is saved from the toolbar, or from its menu: %i pixels',
  async width => {
    vi.spyOn(Element.prototype, 'getBoundingClientRect').mockReturnValue(
      new DOMRect(0, 0, width, 600)
    );
    await page.open(RECORDINGS.mlp);
    const more = within(page.host).queryByRole('button', { name: 'More' });
    if (more) {
      fireEvent.click(more);
    }
    const role = more ? 'menuitem' : 'button';
    expect(within(page.host).queryByRole(role, { name: 'Save the trace' })).not.toBeNull();
  }
);
