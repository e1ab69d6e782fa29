import { expect, test } from 'vitest';

import { Player } from '../../tests/player';
import { RECORDINGS } from '../../tests/recordings';
import type { KernelPort } from './kernelPort';
import { showIn } from './ownWindow';

test('a view in a window of its own has the keyboard at once', async () => {
  const frame = document.createElement('iframe');
  document.body.append(frame);
  const other = frame.contentWindow as Window;
  other.focus = () => undefined; // jsdom has none.
  const port = Object.assign(new Player(RECORDINGS.mlp), { wake: () => undefined });
  const view = await showIn(other, port as unknown as KernelPort, null);
  const active = other.document.activeElement;
  expect(active?.classList.contains('vg-root')).toBe(true);
  view.unmount();
  frame.remove();
});
