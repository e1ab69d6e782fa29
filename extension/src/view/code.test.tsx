import { fireEvent, waitFor } from '@testing-library/preact';
import { beforeEach, expect, test } from 'vitest';

import { opened } from '../../tests/opened';
import { RECORDINGS } from '../../tests/recordings';
import { NODE_SELECTED, SELECT_NODE } from './host';
import type { NodeAsked, NodeSelected } from './host';

const page = opened();
let told: NodeSelected[] = [];

beforeEach(async () => {
  told = [];
  await page.open(RECORDINGS.mlp);
  page.host.addEventListener(NODE_SELECTED, event => {
    told.push((event as CustomEvent<NodeSelected>).detail);
  });
});

const ask = (detail: NodeAsked): boolean =>
  page.root.dispatchEvent(new CustomEvent(SELECT_NODE, { detail }));
const view = () => page.view.store.state.value.view;
const session = () => page.root.dataset['session'];

test('what a person selects is said, and that it goes along with the run again', async () => {
  fireEvent.click(page.node(2));
  await waitFor(() => expect(told).toEqual([{ session: session(), node: 2 }]));
  fireEvent.click(page.button('Back to current'));
  await waitFor(() => expect(told.at(-1)).toEqual({ session: session(), node: null }));
});

test('a step that the selection goes along with says nothing', async () => {
  fireEvent.click(page.button('Step'));
  await page.at(1);
  expect(told).toEqual([]);
});

test('nodes of a line are found together, until another is selected', async () => {
  ask({ node: 3, nodes: [2, 3] });
  expect(view()).toMatchObject({ selection: 3, follow: false });
  await waitFor(() => expect(page.node(2).classList).toContain('vg-match'));
  await waitFor(() => expect(told).toEqual([{ session: session(), node: 3 }]));
  fireEvent.click(page.node(1));
  await waitFor(() => expect(page.node(2).classList).not.toContain('vg-match'));
});

test('what the cursor selects is a glance: the next step goes along with the run again', async () => {
  ask({ node: 3, nodes: [3] });
  ask({ node: 2, nodes: [2] });
  fireEvent.click(page.button('Step'));
  await page.at(1);
  await waitFor(() => expect(view().follow).toBe(true));
});

test('so is what it selects until it leaves the line', () => {
  ask({ node: 3, nodes: [3] });
  ask({ node: null, nodes: [] });
  expect(view().follow).toBe(true);
});

test('what a person selected stays selected', async () => {
  fireEvent.click(page.node(2));
  ask({ node: null, nodes: [] });
  expect(view()).toMatchObject({ selection: 2, follow: false });
  ask({ node: 3, nodes: [3] });
  fireEvent.click(page.button('Step'));
  await page.at(1);
  expect(view()).toMatchObject({ selection: 3, follow: false });
});
