import { fireEvent, waitFor, within } from '@testing-library/preact';
import { afterEach, expect, test } from 'vitest';

import type { Heap, HeapStorage, Request } from '../../protocol';
import { openView } from '..';
import type { MountedView } from '..';

const EVIL = '<img src=x onerror=alert(1)>`';

const STORAGE: HeapStorage = {
  id: 0,
  name: EVIL,
  use: 'variable',
  bytes: 48,
  shape: [3, 4],
  dtype: 'float32',
  device: 'cpu',
  version: 2,
  holders: [
    { kind: 'variable', text: 'base', place: null, graphs: [], graphs_more: 0 },
    {
      kind: 'saved',
      text: 'saved `self` of MulBackward0',
      place: { file: 'x', line: 4, function: '', cell: 'In [7]', text: '' },
      graphs: ['total'],
      graphs_more: 0
    }
  ],
  holders_more: 3,
  aliases: [
    {
      name: 'base',
      relation: 'base',
      of: null,
      shape: [3, 4],
      dtype: 'float32',
      version: 2,
      maker: ''
    },
    {
      name: 'row',
      relation: 'view',
      of: 0,
      shape: [4],
      dtype: 'float32',
      version: 2,
      maker: 'select'
    }
  ],
  aliases_more: 0
};

const HEAP: Heap = {
  bytes: 48e6,
  storages: 21,
  nodes: 312,
  shares: [{ use: 'variable', storages: 21, bytes: 48e6 }],
  held: [STORAGE],
  held_more: 20,
  keepers: [
    {
      names: ['total'],
      names_more: 0,
      nodes: 312,
      node_bytes: 89e3,
      bytes: 48e6,
      sessions: [],
      through: 'total',
      since: { file: 'x', line: 4, function: '', cell: 'In [7]', text: '' }
    }
  ],
  keepers_more: 0,
  cycles: [],
  cycles_more: 0,
  uncounted: []
};

/** A kernel without a session. */
class Kernel {
  readonly asked: Request['type'][] = [];
  answers = true;
  heap = HEAP;
  private tell: (message: unknown) => void = () => undefined;

  send(message: object): void {
    const { type, request } = message as Request;
    this.asked.push(type);
    if (type === 'get_heap' && this.answers) {
      // As JSON, where what has its default is left out.
      const answer = { type: 'heap_read', request, heap: this.heap, seconds: 0.25 };
      queueMicrotask(() => this.tell(JSON.parse(JSON.stringify(answer))));
    } else if (type === 'get_heap') {
      const message = 'MemoryError: too large';
      queueMicrotask(() => this.tell({ type: 'failed', request, message }));
    } else {
      const sessions = { sessions: [], vizgrad_version: '1', protocol_version: 3 };
      queueMicrotask(() => this.tell({ type: 'sessions', request, ...sessions }));
    }
  }

  onMessage(callback: (message: unknown) => void): () => void {
    this.tell = callback;
    return () => undefined;
  }
}

let view: MountedView | null = null;
afterEach(() => view?.unmount());

function opened(): { kernel: Kernel; host: HTMLElement } {
  const host = document.createElement('div');
  document.body.replaceChildren(host);
  const kernel = new Kernel();
  view = openView(host, kernel, { followNewest: true, fill: true });
  return { kernel, host };
}

test('is read and shown without a session, when the user asks', async () => {
  const { kernel, host } = opened();
  const button = await within(host).findByRole('button', { name: 'Memory of the notebook' });
  expect(kernel.asked).not.toContain('get_heap');
  fireEvent.click(button);
  const region = await within(host).findByRole('region', { name: 'Notebook memory' });
  await within(region).findByText('48 MB in 21 storages, 312 nodes of graphs');
  expect(region.textContent).toContain(
    'total keeps 312 nodes (89 kB) and 48 MB of tensors, since In [7], line 4'
  );
  expect(region.textContent).toContain('and 20 smaller ones, not listed');
  await waitFor(() => expect(region.textContent).toContain('read in 250 ms'));
  expect(within(region).getByRole('table', { name: 'Largest storages' })).toBeTruthy();
});

test('names are text, holders and the tree of views are there', async () => {
  const { host } = opened();
  fireEvent.click(await within(host).findByRole('button', { name: 'Memory of the notebook' }));
  const row = await within(host).findByRole('rowheader');
  expect(row.textContent).toBe(`${EVIL}[3, 4] float32 v2`);
  expect(host.querySelector('img')).toBeNull();
  expect(host.querySelector('.vg-heap-holders')?.textContent).toBe(
    'basesaved self of MulBackward0 (graph of total), In [7], line 4and 3 more holders'
  );
  expect(host.querySelector('.vg-heap-aliases li li')?.textContent).toBe(
    'row: view [4] float32 v2 by select'
  );
});

test('storages that are alike are one row, with its parts', async () => {
  const { kernel, host } = opened();
  kernel.heap = { ...HEAP, held: [STORAGE, { ...STORAGE, id: 1, version: 3 }] };
  fireEvent.click(await within(host).findByRole('button', { name: 'Memory of the notebook' }));
  const row = await within(host).findByRole('rowheader');
  expect(row.textContent).toBe(`${EVIL} × 2[3, 4] float32, 48 B each`);
  expect(within(host).getByText('2 of this kind')).toBeTruthy();
  expect(within(host).getByText('48 B [3, 4] float32 v3')).toBeTruthy();
});

test('what is small is one row, that is unfolded', async () => {
  const { kernel, host } = opened();
  const held = Array.from({ length: 40 }, (_, id) => ({
    ...STORAGE,
    id,
    name: `net.${id}`,
    bytes: id < 8 ? 6e6 : 400
  }));
  kernel.heap = { ...HEAP, held };
  fireEvent.click(await within(host).findByRole('button', { name: 'Memory of the notebook' }));
  const small = await within(host).findByRole('button', { name: '32 smaller: 13 kB' });
  expect(within(host).getAllByRole('rowheader')).toHaveLength(8);
  expect(small.getAttribute('aria-expanded')).toBe('false');
  fireEvent.click(small);
  expect(within(host).getAllByRole('rowheader')).toHaveLength(40);
  fireEvent.click(small);
  expect(within(host).getAllByRole('rowheader')).toHaveLength(8);
});

test('is read again, and closed', async () => {
  const { kernel, host } = opened();
  fireEvent.click(await within(host).findByRole('button', { name: 'Memory of the notebook' }));
  await within(host).findByRole('table');
  fireEvent.click(within(host).getByRole('button', { name: 'Refresh memory' }));
  await waitFor(() => expect(kernel.asked.filter(type => type === 'get_heap')).toHaveLength(2));
  fireEvent.click(within(host).getByRole('button', { name: 'Memory of the notebook' }));
  await waitFor(() => expect(within(host).queryByRole('table')).toBeNull());
});

test('what goes wrong is said, and it can be asked again', async () => {
  const { kernel, host } = opened();
  kernel.answers = false;
  fireEvent.click(await within(host).findByRole('button', { name: 'Memory of the notebook' }));
  expect((await within(host).findByRole('alert')).textContent).toContain('MemoryError: too large');
  kernel.answers = true;
  fireEvent.click(within(host).getByRole('button', { name: 'Refresh memory' }));
  await within(host).findByRole('table');
});
