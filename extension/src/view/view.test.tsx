import { fireEvent, waitFor, within } from '@testing-library/preact';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';

import { Player } from '../../tests/player';
import { plainView, RECORDINGS } from '../../tests/recordings';
import type { Recording } from '../../tests/recordings';
import type { Group, Memory, TensorSummary } from '../protocol';
import * as format from './format';
import { openView } from '.';
import type { MountedView } from '.';

let host: HTMLElement;
let kernel: Player;
let view: MountedView;

const { mlp, stale, hostile, layers, loop } = RECORDINGS;

function mount(recording: Recording, options = {}): void {
  kernel = new Player(recording);
  view = openView(host, kernel, options);
}

async function ready(): Promise<HTMLElement> {
  await waitFor(() => expect(root().dataset['layout']).toBe('done'), { timeout: 4000 });
  return root();
}

const root = () => host.querySelector('.vg-root') as HTMLElement;
const button = (name: string) => within(host).getByRole('button', { name });
const region = (name: string) => within(within(host).getByRole('region', { name }));
const node = (id: number) => host.querySelector(`[data-node-id="${id}"]`) as SVGGElement;
const at = (position: number) =>
  waitFor(() => expect(root().dataset['position']).toBe(String(position)));

beforeEach(() => {
  host = document.createElement('div');
  document.body.append(host);
  // jsdom draws nothing: give everything the size of a notebook's output.
  vi.spyOn(Element.prototype, 'getBoundingClientRect').mockReturnValue(
    new DOMRect(0, 0, 1000, 600)
  );
});

afterEach(() => {
  view.unmount();
  host.remove();
});

describe('a session', () => {
  beforeEach(async () => {
    mount(mlp);
    await ready();
  });

  test('has the names that are law', () => {
    const names =
      'Continue,Step,Step back,Run to here,Restart,Stop,Search nodes,Zoom to fit,Add breakpoint';
    for (const name of names.split(',')) {
      expect(within(host).getAllByRole('button', { name })).toHaveLength(1);
    }
    for (const name of 'Graph,Inspector,Saved tensors,Versions,Engine,Memory,Events'.split(',')) {
      expect(within(host).getAllByRole('region', { name })).toHaveLength(1);
    }
    expect(node(5).getAttribute('aria-label')).toMatch(/^TanhBackward0/);
    expect(node(9).getAttribute('aria-label')).toMatch(/^AccumulateGrad w2/);
    expect(root().dataset).toMatchObject({ revision: '1', position: '0', status: 'paused' });
  });

  test('steps there and back: states, edges, saved values, words', async () => {
    expect(node(0).dataset['state']).toBe('current');
    fireEvent.click(button('Step'));
    await at(1);
    expect([0, 1, 2].map(id => node(id).dataset['state'])).toEqual(['done', 'current', 'waiting']);
    expect(host.querySelector('[data-link="e0_0"]')?.getAttribute('data-flow')).toBe('value');
    expect(host.querySelector('[data-link="e1_0"]')?.getAttribute('data-flow')).toBe('none');
    expect(host.querySelector('.vg-live')?.textContent).toBe('MeanBackward0 done, 1 of 12');
    const chip = () =>
      node(1).querySelector('[data-saved-name="self"]')?.getAttribute('data-saved-state');
    expect(chip()).toBe('alive');
    fireEvent.click(button('Step'));
    await at(2);
    expect(chip()).toBe('freed');
    fireEvent.click(button('Step back'));
    await at(1);
    expect(chip()).toBe('alive');
    expect(node(1).dataset['state']).toBe('current');
  });

  test('nothing is drawn again that did not change', async () => {
    const names = (): (string | null)[] =>
      [...host.querySelectorAll('.vg-node')].map(element => element.getAttribute('data-key'));
    const before = names();
    const far = node(10);
    const changes: MutationRecord[] = [];
    const observer = new MutationObserver(records => changes.push(...records));
    observer.observe(far, { attributes: true, childList: true, subtree: true });
    fireEvent.click(button('Step'));
    await at(1);
    expect(changes).toEqual([]);
    expect(names()).toEqual(before);
    observer.disconnect();
  });

  test('continues to a breakpoint set with the keyboard, then to the end', async () => {
    fireEvent.click(node(5));
    fireEvent.keyDown(node(5), { key: 'b' });
    await waitFor(() => expect(node(5).dataset['breakpoint']).toBe('on'));
    expect(button('Add breakpoint').getAttribute('aria-pressed')).toBe('true');
    fireEvent.click(button('Continue'));
    await waitFor(() => expect(node(5).dataset['state']).toBe('current'));
    fireEvent.keyDown(root(), { key: 'F9' });
    await waitFor(() => expect(root().dataset['status']).toBe('finished'));
    expect(button('Step').getAttribute('aria-disabled')).toBe('true');
  });

  test('a click beside a node sets a breakpoint there, and selects nothing', async () => {
    fireEvent.click(node(5).querySelector('.vg-gutter') as SVGGElement);
    await waitFor(() => expect(node(5).dataset['breakpoint']).toBe('on'));
    expect(node(5).getAttribute('aria-selected')).toBe('false');
    expect(node(5).getAttribute('aria-label')).toContain('breakpoint');
  });

  test('runs to the selected node', async () => {
    fireEvent.click(node(8));
    fireEvent.click(button('Run to here'));
    await waitFor(() => expect(node(8).dataset['state']).toBe('current'));
  });

  test('arrows walk along edges, one box in the tab order at a time', () => {
    const focused = () => host.querySelector('[role=treeitem][tabindex="0"]');
    expect(host.querySelectorAll('[role=treeitem][tabindex="0"]')).toHaveLength(1);
    const start = focused() as SVGGElement;
    start.focus();
    return (async () => {
      fireEvent.keyDown(start, { key: 'ArrowDown' });
      await waitFor(() => expect(focused()?.getAttribute('data-node-id')).toBe('1'));
      expect(document.activeElement).toBe(node(1));
      fireEvent.keyDown(node(1), { key: 'ArrowUp' });
      await waitFor(() => expect(document.activeElement).toBe(node(0)));
    })();
  });

  test('the inspector shows the node of the last step; a click shows another, and it stays', async () => {
    fireEvent.click(button('Step'));
    await waitFor(() => expect(region('Inspector').getByText('Incoming gradient')).toBeTruthy());
    fireEvent.click(node(3));
    await waitFor(() => expect(region('Inspector').getByText(/def grad_mat2/)).toBeTruthy());
    fireEvent.click(button('Step'));
    await at(2);
    expect(host.querySelector('[data-inspected="3"]')).not.toBeNull();
    fireEvent.click(button('Follow the run'));
    await waitFor(() => expect(host.querySelector('[data-inspected="1"]')).not.toBeNull());
  });

  test('a stale value tells who wrote, where, and through what', async () => {
    view.unmount();
    mount(stale);
    await ready();
    const row = host.querySelector('.vg-saved[data-saved-state="stale"]');
    expect(row?.textContent).toContain("mul_ wrote version 1 through leaves['w2']");
    expect(row?.textContent).toContain('recordings.py');
    expect(row?.textContent).toContain('v0 → v1');
    expect(region('Versions').getByRole('button', { name: /w2, version 1, .*stale/ })).toBeTruthy();
  });

  test('a gradient is shown from the record of its step, before the kernel is asked', async () => {
    kernel.moveTo(1);
    await at(1);
    kernel.delay = null;
    fireEvent.click(button('Step'));
    kernel.flush();
    await at(2);
    const card = () => region('Inspector').getByText('g').closest('.vg-card') as HTMLElement;
    const { norm, histogram } = kernel.records[1]?.visit.incoming[0] as TensorSummary;
    expect(histogram).toEqual([]); // Records are small; the rest comes when the kernel is asked.
    await waitFor(() =>
      expect(within(card()).getByText('norm').nextSibling?.textContent).toBe(format.number(norm))
    );
    expect(card().querySelector('.vg-histogram')).toBeNull();
    expect(kernel.requests.filter(({ type }) => type === 'inspect').at(-1)).toMatchObject({
      node: 1
    });
    kernel.delay = 0;
    kernel.flush();
    await waitFor(() => expect(host.querySelector('.vg-histogram')).not.toBeNull());
  });

  test('an event goes to its moment', async () => {
    fireEvent.click(button('Continue'));
    await waitFor(() => expect(root().dataset['status']).toBe('finished'));
    // What was done in between was not told: it is asked for.
    fireEvent.click(await region('Events').findByRole('button', { name: /PowBackward0/ }));
    await at(2);
  });

  test('the engine lists the queue in order', async () => {
    kernel.moveTo(4);
    await at(4);
    const queue = () => region('Engine').getByRole('list', { name: 'Ready queue' });
    const rows = () => within(queue()).getAllByRole('listitem');
    await waitFor(() =>
      expect(rows().map(row => row.textContent)).toEqual([
        'next b2 AccumulateGrad leaf',
        '2 TBackward0 ',
        '3 TanhBackward0 '
      ])
    );
    expect(host.querySelector('.vg-why')?.textContent).toBe(
      'Next is b2 AccumulateGrad It is a leaf: leaves run as soon as they are ready.'
    );
  });

  test('folds a group with the keyboard and opens it again', async () => {
    const [group] = plainView(mlp).drawing.groups as [Group];
    const named = (name: string) => name.startsWith(`${group.title}, `);
    expect(group.last - group.first).toBeGreaterThan(1);
    fireEvent.click(within(host).getByRole('treeitem', { name: named, expanded: true }));
    const box = await within(host).findByRole('treeitem', { name: named, expanded: false });
    expect(box.getAttribute('aria-expanded')).toBe('false');
    expect(node(group.first)).toBeNull();
    fireEvent.keyDown(box, { key: 'Enter' });
    await waitFor(() => expect(node(group.first)).not.toBeNull());
  });

  test('tells what is held, as the kernel says', async () => {
    const memory = () => region('Memory').getByRole('img').getAttribute('aria-label');
    const said = (at: number) => {
      const { held, peak } = mlp.memory.get(at) as Memory;
      return `${format.bytes(held)} held now, ${format.bytes(peak)} at the peak`;
    };
    await waitFor(() => expect(memory()).toBe(said(0)));
    fireEvent.click(button('Step'));
    fireEvent.click(button('Step'));
    await at(2);
    await waitFor(() => expect(memory()).toBe(said(2)));
    expect(said(2)).not.toBe(said(0));
  });

  test('finds a node by a part of its name', async () => {
    fireEvent.click(button('Search nodes'));
    const field = await within(host).findByRole('textbox', { name: 'Node name' });
    expect(document.activeElement).toBe(field);
    fireEvent.input(field, { target: { value: 'tanh' } });
    await waitFor(() => expect(node(5).classList.contains('vg-match')).toBe(true));
    fireEvent.keyDown(field, { key: 'Enter' });
    await waitFor(() => expect(node(5).getAttribute('aria-selected')).toBe('true'));
    fireEvent.keyDown(field, { key: 'Escape' });
    await waitFor(() =>
      expect(within(host).queryByRole('textbox', { name: 'Node name' })).toBeNull()
    );
  });

  test('keys that mean nothing here are left to the host', () => {
    expect(fireEvent.keyDown(node(0), { key: 'k' })).toBe(true);
    expect(fireEvent.keyDown(node(0), { key: 's', ctrlKey: true })).toBe(true);
    expect(fireEvent.keyDown(node(0), { key: 'F10' })).toBe(false);
  });

  test('hides its own keys from JupyterLab, and only those', () => {
    const seen: boolean[] = [];
    const look = () => seen.push(root().hasAttribute('data-lm-suppress-shortcuts'));
    document.addEventListener('keydown', look, true);
    fireEvent.keyDown(node(0), { key: 'b' });
    root().removeAttribute('data-lm-suppress-shortcuts');
    fireEvent.keyDown(node(0), { key: 's', ctrlKey: true });
    document.removeEventListener('keydown', look, true);
    expect(seen).toEqual([true, false]);
  });

  test('takes everything away when it is unmounted', () => {
    view.unmount();
    expect(host.childNodes).toHaveLength(0);
  });
});

test('names are text, whatever they look like', async () => {
  mount(hostile);
  await ready();
  fireEvent.click(node(0));
  fireEvent.click(button('Continue'));
  await waitFor(() => expect(root().dataset['status']).toBe('finished'));
  await waitFor(() => expect(region('Inspector').getByText('Stages of the visit')).toBeTruthy());
  expect(
    host.querySelectorAll('img, script, a, iframe, object, embed, foreignObject')
  ).toHaveLength(0);
  const evil = '<img src=x onerror=alert(1)>';
  const said = region('Inspector').getAllByText(text => text.includes(evil));
  expect(said.length).toBeGreaterThan(3);
  expect(node(0).getAttribute('aria-label')?.startsWith(evil)).toBe(true);
  for (const element of host.querySelectorAll('*')) {
    expect(element.id).toBe('');
    for (const { name } of element.attributes) {
      expect(name.startsWith('on') || name === 'href' || name === 'src').toBe(false);
    }
  }
});

describe('a graph of which a part is drawn', () => {
  /** Of the loop most turns are in boxes of several. */
  const hidden = 40;

  beforeEach(async () => {
    mount(loop);
    await ready();
  });

  test('is drawn folded', () => {
    expect(host.querySelectorAll('[data-node-id]').length).toBeLessThan(10);
    expect(host.querySelectorAll('.vg-group').length).toBeGreaterThan(0);
    expect(node(hidden)).toBeNull();
  });

  test('a step to a node that is not drawn is told of, and shown on demand', async () => {
    kernel.moveTo(17);
    await at(17);
    const { node: last, incoming } = kernel.records[16]?.visit ?? { node: -1, incoming: [] };
    expect(node(last)).toBeNull();
    await waitFor(() => expect(host.querySelector(`[data-inspected="${last}"]`)).not.toBeNull());
    await waitFor(() => expect(region('Inspector').getByText('Formula')).toBeTruthy());
    expect(region('Inspector').getByText('Incoming gradient')).toBeTruthy();
    const norm = format.number(incoming[0]?.norm ?? null);
    expect(region('Inspector').getAllByText(norm).length).toBeGreaterThan(0);
    const foldings = () =>
      kernel.requests.flatMap(each => (each.type === 'look' ? [each.folding.near] : []));
    expect(foldings()).not.toContain(last);
    fireEvent.click(region('Inspector').getByRole('button', { name: 'Show in the graph' }));
    expect(foldings().at(-1)).toBe(last);
  });

  test('events that are not known are asked for, and the filter says what it searched', async () => {
    kernel.moveTo(85);
    await at(85);
    const rows = () => region('Events').getAllByRole('button');
    await waitFor(() => expect(rows()).toHaveLength(85));
    expect(rows()[0]?.textContent).toMatch(/^1 SumBackward/);
    fireEvent.input(region('Events').getByRole('textbox', { name: 'Filter events' }), {
      target: { value: 'tanh' }
    });
    await waitFor(() => expect(rows().length).toBeLessThan(60));
    expect(rows().every(({ textContent }) => textContent.includes('TanhBackward0'))).toBe(true);
  });

  test('other storages are shown when somebody asks', async () => {
    const lines = () => host.querySelectorAll('[data-storage]').length;
    const before = lines();
    fireEvent.click(region('Versions').getByRole('button', { name: /storages$/ }));
    await waitFor(() => expect(lines()).toBeGreaterThan(before));
    fireEvent.click(region('Versions').getByRole('button', { name: 'Fewer' }));
    await waitFor(() => expect(lines()).toBe(before));
  });

  test('saved values are those of what is drawn, and it is said so', () => {
    expect(host.querySelector('.vg-area-saved')?.textContent).toMatch(/drawn, of 100/);
  });
});

test('names that nobody told are asked for', async () => {
  mount(layers);
  await ready();
  view.store.fold({ close: [0] });
  await within(host).findByRole('treeitem', { name: /, group, / });
  kernel.transport = message =>
    message.type === 'updated'
      ? [{ ...message, update: { ...message.update, names: [] } }]
      : [message];
  kernel.moveTo(3);
  await at(3);
  const queue = region('Engine').getByRole('list', { name: 'Ready queue' });
  await waitFor(() => expect(queue.textContent).toMatch(/Backward0/));
  expect(queue.textContent).not.toMatch(/node \d/);
});

describe('without a session', () => {
  test('says what to run', async () => {
    mount(mlp, { followNewest: true });
    kernel.become({
      state: 'closed',
      reason: 'vizgrad is not imported in this kernel: run import vizgrad'
    });
    await waitFor(() => expect(host.textContent).toContain('vizgrad is not imported'));
  });

  test('a kernel that speaks another language is an error shown, not a blank page', async () => {
    mount(mlp);
    await ready();
    kernel.emit({ type: 'at_revision', session: 's1' });
    const alert = await within(host).findByRole('alert');
    expect(alert.textContent).toContain('at_revision.revision');
    expect(button('Step')).toBeTruthy();
  });
});
