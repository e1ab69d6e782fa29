import { fireEvent, waitFor, within } from '@testing-library/preact';
import { beforeEach, describe, expect, test } from 'vitest';

import { opened } from '../../tests/opened';
import { plainView, RECORDINGS } from '../../tests/recordings';
import type { Group } from '../protocol';
import * as format from './format';

const { mlp, layers, loop } = RECORDINGS;
const page = opened();

test('folds a group with the keyboard and opens it again', async () => {
  await page.open(mlp);
  const [group] = plainView(mlp).drawing.groups as [Group];
  const named = (name: string) => name.startsWith(`${group.title}, `);
  expect(group.last - group.first).toBeGreaterThan(1);
  fireEvent.click(within(page.host).getByRole('treeitem', { name: named, expanded: true }));
  const box = await within(page.host).findByRole('treeitem', { name: named, expanded: false });
  expect(box.getAttribute('aria-expanded')).toBe('false');
  expect(page.node(group.first)).toBeNull();
  fireEvent.keyDown(box, { key: 'Enter' });
  await waitFor(() => expect(page.node(group.first)).not.toBeNull());
});

describe('a graph of which a part is drawn', () => {
  /** Of the loop most turns are in boxes of several. */
  const hidden = 40;

  beforeEach(async () => {
    await page.open(loop);
  });

  test('is drawn folded', () => {
    expect(page.host.querySelectorAll('[data-node-id]').length).toBeLessThan(10);
    expect(page.host.querySelectorAll('.vg-group').length).toBeGreaterThan(0);
    expect(page.node(hidden)).toBeNull();
  });

  test('a node that ran and is not drawn is told of, and shown on demand', async () => {
    page.kernel.moveTo(17);
    await page.at(17);
    const state = () => page.view.store.state.value;
    await waitFor(() => expect(state().session?.history.node(16)).toBeDefined());
    fireEvent.keyDown(page.root, { key: 'd' });
    const { node: last, incoming } = page.kernel.records[16]?.visit ?? { node: -1, incoming: [] };
    expect(page.node(last)).toBeNull();
    await waitFor(() =>
      expect(page.host.querySelector(`[data-inspected="${last}"]`)).not.toBeNull()
    );
    await waitFor(() => expect(page.region('Inspector').getByText('Formula')).toBeTruthy());
    expect(page.region('Inspector').getByText('Incoming gradient')).toBeTruthy();
    const norm = format.number(incoming[0]?.norm ?? null);
    expect(page.region('Inspector').getAllByText(norm).length).toBeGreaterThan(0);
    const foldings = () =>
      page.kernel.requests.flatMap(each => (each.type === 'look' ? [each.folding.near] : []));
    expect(foldings().at(-1)).toBe(last);
    page.view.store.fold({ near: null });
    const show = await page.region('Inspector').findByRole('button', { name: 'Show in the graph' });
    fireEvent.click(show);
    await waitFor(() => expect(foldings().at(-1)).toBe(last));
  });

  test('events that are not known are asked for, and the filter says what it searched', async () => {
    page.kernel.moveTo(85);
    await page.at(85);
    const rows = () => page.region('Events').getAllByRole('button');
    await waitFor(() => expect(rows()).toHaveLength(85));
    expect(rows()[0]?.textContent).toMatch(/^1 SumBackward/);
    fireEvent.input(page.region('Events').getByRole('textbox', { name: 'Filter events' }), {
      target: { value: 'tanh' }
    });
    await waitFor(() => expect(rows().length).toBeLessThan(60));
    expect(rows().every(({ textContent }) => textContent.includes('TanhBackward0'))).toBe(true);
  });

  test('other storages are shown when the user asks', async () => {
    const lines = () => page.host.querySelectorAll('[data-storage]').length;
    const before = lines();
    fireEvent.click(page.region('Versions').getByRole('button', { name: /storages$/ }));
    await waitFor(() => expect(lines()).toBeGreaterThan(before));
    fireEvent.click(page.region('Versions').getByRole('button', { name: 'Show fewer' }));
    await waitFor(() => expect(lines()).toBe(before));
  });

  test('saved values are those of what is drawn, and it is said so', () => {
    page.region('Saved tensors');
    expect(page.host.querySelector('.vg-area-saved')?.textContent).toMatch(
      /Showing \d+ visible nodes of 100/
    );
  });
});

test('names that nobody told are asked for', async () => {
  await page.open(layers);
  page.view.store.fold({ close: [0] });
  await within(page.host).findByRole('treeitem', { name: /, group, / });
  page.kernel.transport = message =>
    message.type === 'updated'
      ? [{ ...message, update: { ...message.update, names: [] } }]
      : [message];
  page.kernel.moveTo(3);
  await page.at(3);
  const queue = page.region('Engine').getByRole('list', { name: 'Ready queue' });
  await waitFor(() => expect(queue.textContent).toMatch(/Backward0/));
  expect(queue.textContent).not.toMatch(/node \d/);
});
