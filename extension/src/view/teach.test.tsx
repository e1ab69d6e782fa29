/** The graph to teach is as much larger as the rest, whenever the view looks at it by itself. */
import { act, fireEvent, waitFor } from '@testing-library/preact';
import { afterEach, expect, test, vi } from 'vitest';

import { opened } from '../../tests/opened';
import { RECORDINGS } from '../../tests/recordings';
import { remember } from './layout';
import { PRESENTED } from './width';

const page = opened();
const SOON = { timeout: 3000 };

const zoom = (): number => {
  const moved = page.host.querySelector('.vg-canvas > g')?.getAttribute('transform') ?? '';
  return Number(/scale\(([\d.]+)\)/.exec(moved)?.[1]);
};

afterEach(() => {
  vi.unstubAllGlobals();
});

const sized = (width: number, height: number): void => {
  const box = new DOMRect(0, 0, width, height);
  vi.spyOn(Element.prototype, 'getBoundingClientRect').mockReturnValue(box);
};

/** Gives what tells all who observe an element that it has another size. */
function observed(): () => void {
  const heard: (() => void)[] = [];
  vi.stubGlobal(
    'ResizeObserver',
    class {
      constructor(hear: () => void) {
        heard.push(hear);
      }
      observe = (): void => undefined;
      disconnect = (): void => undefined;
    }
  );
  return () => void act(() => heard.forEach(hear => hear()));
}

test.each([
  [0, 0],
  [1000, 300]
])(
  'it is larger where the view gets its room late, after %i by %i pixels',
  async (width, height) => {
    const resize = observed();
    await page.open(RECORDINGS.mlp);
    await waitFor(() => expect(zoom()).not.toBe(1), SOON);
    const usual = zoom();
    page.view.unmount();
    remember({ teach: true });
    sized(width, height);
    await page.open(RECORDINGS.mlp);
    sized(1000, 600);
    resize();
    await waitFor(() => expect(zoom()).toBeGreaterThan(1.1 * usual), SOON);
  }
);

test('it is larger from the first look on, and again smaller without the layout', async () => {
  await page.open(RECORDINGS.mlp);
  await waitFor(() => expect(zoom()).not.toBe(1), SOON);
  const usual = zoom();
  page.view.unmount();
  remember({ teach: true });
  await page.open(RECORDINGS.mlp);
  await waitFor(() => expect(zoom()).toBeGreaterThan(1.1 * usual), SOON);
  fireEvent.click(page.button('Teach layout'));
  await waitFor(() => expect(zoom()).toBeCloseTo(usual, 3), SOON);
  fireEvent.click(page.button('Teach layout'));
  await waitFor(() => expect(zoom()).toBeGreaterThan(1.1 * usual), SOON);
});

test('who has looked around sees the same part, larger', async () => {
  await page.open(RECORDINGS.mlp);
  const first = zoom();
  fireEvent.click(page.button('Zoom in'));
  await waitFor(() => expect(zoom()).toBeGreaterThan(1.2 * first), SOON);
  const before = zoom();
  fireEvent.click(page.button('Teach layout'));
  await waitFor(() => expect(zoom()).toBeCloseTo(PRESENTED * before, 3), SOON);
});
