import { fireEvent, render, waitFor, within } from '@testing-library/preact';
import { beforeEach, expect, test } from 'vitest';

import { opened } from '../../../tests/opened';
import { named, RECORDINGS } from '../../../tests/recordings';
import type { Memory, TensorSummary } from '../../protocol';
import * as format from '../format';
import { Accumulate } from './Accumulate';

const { mlp, stale } = RECORDINGS;
const page = opened();

beforeEach(async () => {
  await page.open(mlp);
});

test('the inspector shows the current node; a click shows another, and it stays', async () => {
  const current = () => page.view.store.state.value.session?.run.current;
  fireEvent.click(page.button('Step'));
  await page.at(1);
  await waitFor(() =>
    expect(page.host.querySelector(`[data-inspected="${current()}"]`)).not.toBeNull()
  );
  expect(page.region('Inspector').getByText('Incoming gradient')).toBeTruthy();
  expect(page.region('Inspector').queryByText('Computed and routed')).toBeNull();
  fireEvent.click(page.region('Inspector').getByRole('button', { name: 'MeanBackward0' }));
  await waitFor(() =>
    expect(page.region('Inspector').getByText('Computed and routed')).toBeTruthy()
  );
  expect(page.region('Inspector').getByText('selected by you')).toBeTruthy();
  fireEvent.click(page.node(3));
  await waitFor(() => expect(page.region('Inspector').getByText(/def grad_mat2/)).toBeTruthy());
  fireEvent.click(page.button('Step'));
  await page.at(2);
  expect(page.host.querySelector('[data-inspected="3"]')).not.toBeNull();
  fireEvent.click(page.button('Back to current'));
  await waitFor(() =>
    expect(page.host.querySelector(`[data-inspected="${current()}"]`)).not.toBeNull()
  );
  expect(page.region('Inspector').queryByText('selected by you')).toBeNull();
});

test('a leaf tells who sends it gradients, where its tensor comes from, and its .grad', async () => {
  const leaf = named(mlp, 'AccumulateGrad');
  page.view.store.select(leaf);
  await waitFor(() => expect(page.region('Leaf').getByText('gradient from')).toBeTruthy());
  expect(page.region('Inspector').getByText('.grad now')).toBeTruthy();
  const told = mlp.before[leaf]?.leaf;
  const [use] = told?.users ?? [];
  const { name = '' } = page.view.store.state.value.session?.names.peek(use?.node ?? -1) ?? {};
  expect(name).toMatch(/Backward/);
  const row = page.region('Leaf').getByRole('listitem');
  expect(row.textContent).toContain(name);
  expect(row.textContent).toContain(`recorded_programs.py:${use?.place?.line}`);
  fireEvent.click(within(row).getByRole('button', { name }));
  await waitFor(() =>
    expect(page.host.querySelector(`[data-inspected="${use?.node}"]`)).not.toBeNull()
  );
});

test('the lines that made and wrote a leaf are said where they were noted', async () => {
  const leaf = named(mlp, 'AccumulateGrad');
  const place = { file: 'a.py', line: 3, function: '', cell: null, text: 'w = tensor(1.)' };
  const by = (text: string, line: number) => ({
    text,
    position: null,
    node: null,
    place: { ...place, line }
  });
  page.view.store.select(leaf);
  await waitFor(() => expect(page.region('Leaf').getByText('gradient from')).toBeTruthy());
  const { inspection } = page.view.store.state.value;
  if (inspection?.leaf) {
    const known = { ...inspection.leaf, made: by('tensor', 3), written: by('mul_', 7) };
    page.view.store.state.patch({ inspection: { ...inspection, leaf: known } });
  }
  await waitFor(() => expect(page.region('Leaf').getByText('made by')).toBeTruthy());
  const said = page.host.querySelector('.vg-leaf-lines')?.textContent;
  expect(said).toContain('made bytensor a.py:3');
  expect(said).toContain('last writemul_ a.py:7');
});

test('the list of breakpoints names a node as the picture does, and not by a number of the kernel', async () => {
  page.view.store.select(3);
  const { session } = page.view.store.state.value;
  const set = {
    id: 1,
    kind: 'node' as const,
    text: 'node 3',
    condition: '',
    hits: 0,
    hit: 0,
    enabled: true,
    nodes: [3],
    total: 1,
    place: null,
    log: '',
    refused: ''
  };
  if (session) {
    page.view.store.state.patch({
      session: { ...session, run: { ...session.run, breakpoint_list: [set] } }
    });
  }
  const list = page.region('Breakpoints').getByRole('list', { name: 'Breakpoints set' });
  await waitFor(() => expect(list.textContent).toContain('AddmmBackward0'));
  expect(list.textContent).not.toContain('node 3');
  fireEvent.click(page.region('Breakpoints').getByRole('button', { name: 'New breakpoint' }));
  const kinds = [...page.region('Breakpoints').getByLabelText('Kind of breakpoint').children];
  expect(kinds.map(({ textContent }) => textContent)).not.toContain('Node number');
});

test('what was done with .grad is a sentence, also where the engine gives no reason', () => {
  const said = (decision: string, reason: string): string =>
    render(
      <Accumulate record={{ decision, reason, before: null, after: null }} />
    ).container.querySelector('.vg-decision')?.textContent ?? '';
  expect(said('taken', '')).toBe('stored .grad is the gradient that arrived, not a copy of it');
  expect(said('copied', 'other code may hold the array')).toBe(
    'copied .grad is a copy of the gradient that arrived (other code may hold the array)'
  );
});

test('a stale value tells who wrote, where, and through what', async () => {
  page.view.unmount();
  await page.open(stale);
  page.region('Saved tensors');
  const row = page.host.querySelector('.vg-saved[data-saved-state="stale"]');
  expect(row?.textContent).toContain("mul_ wrote version 1 through leaves['w2']");
  expect(row?.textContent).toContain('recorded_programs.py');
  expect(row?.textContent).toContain('v0 → v1');
  expect(
    page.region('Versions').getByRole('button', { name: /w2, version 1, .*stale/ })
  ).toBeTruthy();
});

test('a gradient is shown from the record of its step, before the kernel is asked', async () => {
  page.kernel.moveTo(1);
  await page.at(1);
  page.kernel.delay = null;
  fireEvent.click(page.button('Step'));
  page.kernel.flush();
  await page.at(2);
  fireEvent.keyDown(page.root, { key: 'd' });
  const card = () => page.region('Inspector').getByText('g').closest('.vg-card') as HTMLElement;
  const { norm, histogram } = page.kernel.records[1]?.visit.incoming[0] as TensorSummary;
  expect(histogram).toEqual([]); // Records are small; the rest comes when the kernel is asked.
  await waitFor(() =>
    expect(within(card()).getByText('norm').nextSibling?.textContent).toBe(format.number(norm))
  );
  expect(card().querySelector('.vg-histogram')).toBeNull();
  page.kernel.delay = 0;
  page.kernel.flush();
  await waitFor(() =>
    expect(page.kernel.requests.filter(({ type }) => type === 'inspect').at(-1)).toMatchObject({
      node: 1
    })
  );
  await waitFor(() => expect(page.host.querySelector('.vg-histogram')).not.toBeNull());
});

test('an event goes to its moment', async () => {
  fireEvent.click(page.button('Continue'));
  await waitFor(() => expect(page.root.dataset['status']).toBe('finished'));
  // What was done in between was not told: it is asked for.
  fireEvent.click(await page.region('Events').findByRole('button', { name: /PowBackward0/ }));
  await page.at(2);
});

test('the engine lists the queue in order', async () => {
  page.kernel.moveTo(4);
  await page.at(4);
  const queue = () => page.region('Engine').getByRole('list', { name: 'Ready queue' });
  const rows = () => within(queue()).getAllByRole('listitem');
  await waitFor(() =>
    expect(rows().map(row => row.textContent)).toEqual([
      'next b2 AccumulateGrad leaf',
      '2 TBackward0 ',
      '3 TanhBackward0 '
    ])
  );
  expect(page.host.querySelector('.vg-why')?.textContent).toBe(
    'Next is b2 AccumulateGrad Leaves run as soon as they are ready.'
  );
});

test('while the run goes on the engine tells the node that runs, and nothing of before', async () => {
  page.kernel.moveTo(1);
  await page.at(1);
  const [current, other] = [page.view.store.state.value.session?.run.current ?? -1, 5];
  const runs = (node: number, name: string) =>
    page.kernel.emit({
      type: 'working',
      session: 's1',
      what: 'running',
      done: 1,
      total: 12,
      node: { node, name, label: '', needed: 1 },
      seconds: 2
    });
  const engine = () => page.region('Engine');
  runs(current, 'the current one');
  await engine().findByText('Running');
  expect(engine().getByRole('heading', { name: 'Input buffers' })).toBeTruthy();
  runs(other, 'another');
  await engine().findByText(/are shown when the run pauses or ends/);
  expect(engine().queryByRole('heading')).toBeNull();
  expect(engine().queryByRole('listitem')).toBeNull();
});

test('tells what is held, as the kernel says', async () => {
  const memory = () => page.region('Memory').getByRole('img').getAttribute('aria-label');
  const said = (at: number) => {
    const { held, peak } = mlp.memory.get(at) as Memory;
    return `${format.bytes(held)} held now, ${format.bytes(peak)} at the peak`;
  };
  await waitFor(() => expect(memory()).toBe(said(0)));
  fireEvent.click(page.button('Step'));
  fireEvent.click(page.button('Step'));
  await page.at(2);
  await waitFor(() => expect(memory()).toBe(said(2)));
  expect(said(2)).not.toBe(said(0));
});
