import { fireEvent, render } from '@testing-library/preact';
import { afterEach, expect, test } from 'vitest';

import { PREFERENCES } from '../protocol';
import { ASK_PLACE, writeHost } from './host';
import { PlaceLink } from './PlaceLink';

afterEach(() => {
  delete document.documentElement.dataset['vizgrad'];
});

test('a line of a cell is asked for where the host can show it, and only there', () => {
  const alone = render(<PlaceLink text="In [12], line 3" />);
  expect(alone.container.innerHTML).toBe('In [12], line 3');
  writeHost(document, { commands: [], keys: {}, preferences: PREFERENCES, places: true });
  const page = render(<PlaceLink text="In [12], line 3" />);
  const asked: unknown[] = [];
  page.container.addEventListener(ASK_PLACE, event => asked.push((event as CustomEvent).detail));
  fireEvent.click(page.getByRole('button', { name: 'In [12], line 3' }));
  expect(asked).toEqual([{ cell: 'In [12]', line: 3 }]);
  const file = render(<PlaceLink text="train.py:12" />);
  expect(file.container.querySelector('button')).toBeNull();
});
