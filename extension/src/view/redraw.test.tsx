import { fireEvent } from '@testing-library/preact';
import { options } from 'preact';
import type { VNode } from 'preact';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

import { opened } from '../../tests/opened';
import { RECORDINGS } from '../../tests/recordings';

/** What was drawn, by the names of components. */
let drawn: string[] = [];
const page = opened();
const before = options.diffed;

beforeEach(async () => {
  options.diffed = (vnode: VNode) => {
    if (typeof vnode.type === 'function') {
      drawn.push(vnode.type.name);
    }
    before?.(vnode);
  };
  await page.open(RECORDINGS.mlp);
});
afterEach(() => {
  options.diffed = before as (vnode: VNode) => void;
});

const times = (component: string): number => drawn.filter(name => name === component).length;

test('nothing is drawn again that did not change', async () => {
  const names = (): (string | null)[] =>
    [...page.host.querySelectorAll('.vg-node')].map(element => element.getAttribute('data-key'));
  const before = names();
  const far = page.node(10);
  const changes: MutationRecord[] = [];
  const observer = new MutationObserver(records => changes.push(...records));
  observer.observe(far, { attributes: true, childList: true, subtree: true });
  fireEvent.click(page.button('Step'));
  await page.at(1);
  expect(changes).toEqual([]);
  expect(names()).toEqual(before);
  observer.disconnect();
});

test('a click on Step draws nothing, its answer draws the picture once, and few buttons', async () => {
  fireEvent.click(page.button('Step'));
  await page.at(1); // Step back can be pressed from now on.
  page.kernel.delay = null;
  await new Promise(resolve => setTimeout(resolve, 300));
  drawn = [];
  fireEvent.click(page.button('Step'));
  await new Promise(resolve => setTimeout(resolve, 30));
  expect(drawn).toEqual([]);
  page.kernel.flush();
  await page.at(2);
  expect(times('App')).toBe(1);
  expect(times('GraphCanvas')).toBe(1);
  expect(times('ButtonInner')).toBe(0);
});

test('what has nothing to do with the picture leaves it as it is', async () => {
  await new Promise(resolve => setTimeout(resolve, 300));
  drawn = [];
  page.kernel.emit({ type: 'failed', request: 0, message: 'something', closed: false });
  await vi.waitFor(() => expect(page.host.textContent).toContain('something'));
  expect(times('App')).toBe(1);
  expect(times('GraphCanvas')).toBe(0);
});
