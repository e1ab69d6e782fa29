import { fireEvent, waitFor, within } from '@testing-library/preact';
import { beforeEach, describe, expect, test, vi } from 'vitest';

import { opened } from '../../tests/opened';
import { RECORDINGS } from '../../tests/recordings';

const { mlp, hostile } = RECORDINGS;

const page = opened();

describe('a session', () => {
  beforeEach(async () => {
    await page.open(mlp);
  });

  test('has the names that are law', () => {
    const names =
      'Continue,Step,Step back,Run to here,Restart,Stop,Search nodes,Zoom to fit,Add breakpoint';
    for (const name of names.split(',')) {
      expect(within(page.host).getAllByRole('button', { name })).toHaveLength(1);
    }
    for (const name of 'Graph,Inspector'.split(',')) {
      expect(within(page.host).getAllByRole('region', { name })).toHaveLength(1);
    }
    const waiting = 'Saved tensors,Engine,Versions,Memory,Events,Branches,Breakpoints,Watch'.split(
      ','
    );
    expect(within(page.host).getAllByRole('tab')).toHaveLength(waiting.length);
    for (const name of waiting) {
      expect(within(page.host).queryByRole('region', { name })).toBeNull();
      page.region(name);
      expect(within(page.host).getAllByRole('region', { name })).toHaveLength(1);
    }
    expect(page.node(5).getAttribute('aria-label')).toMatch(/^TanhBackward0/);
    expect(page.node(9).getAttribute('aria-label')).toMatch(/^AccumulateGrad w2/);
    expect(page.root.dataset).toMatchObject({ revision: '1', position: '0', status: 'paused' });
  });

  test('steps there and back: states, edges, saved values, words', async () => {
    expect(page.node(0).dataset['state']).toBe('current');
    fireEvent.click(page.button('Step'));
    await page.at(1);
    expect([0, 1, 2].map(id => page.node(id).dataset['state'])).toEqual([
      'done',
      'current',
      'waiting'
    ]);
    expect(page.host.querySelector('[data-link="e0_0"]')?.getAttribute('data-flow')).toBe('value');
    expect(page.host.querySelector('[data-link="e1_0"]')?.getAttribute('data-flow')).toBe('none');
    expect(page.host.querySelector('.vg-live')?.textContent).toBe('MeanBackward0 done, 1 of 12');
    const chip = () =>
      page.node(1).querySelector('[data-saved-name="self"]')?.getAttribute('data-saved-state');
    expect(chip()).toBe('alive');
    fireEvent.click(page.button('Step'));
    await page.at(2);
    expect(chip()).toBe('freed');
    fireEvent.click(page.button('Step back'));
    await page.at(1);
    expect(chip()).toBe('alive');
    expect(page.node(1).dataset['state']).toBe('current');
  });

  test('continues to a breakpoint set with the keyboard, then to the end', async () => {
    fireEvent.click(page.node(5));
    fireEvent.keyDown(page.node(5), { key: 'b' });
    await waitFor(() => expect(page.node(5).dataset['breakpoint']).toBe('on'));
    expect(page.button('Add breakpoint').getAttribute('aria-pressed')).toBe('true');
    fireEvent.click(page.button('Continue'));
    await waitFor(() => expect(page.node(5).dataset['state']).toBe('current'));
    fireEvent.keyDown(page.root, { key: 'F9' });
    await waitFor(() => expect(page.root.dataset['status']).toBe('finished'));
    expect(page.button('Step').getAttribute('aria-disabled')).toBe('true');
  });

  test('a click beside a node sets a breakpoint there, and selects nothing', async () => {
    fireEvent.click(page.node(5).querySelector('.vg-gutter') as SVGGElement);
    await waitFor(() => expect(page.node(5).dataset['breakpoint']).toBe('on'));
    expect(page.node(5).getAttribute('aria-selected')).toBe('false');
    expect(page.node(5).getAttribute('aria-label')).toContain('breakpoint');
  });

  test('runs to the selected node', async () => {
    fireEvent.click(page.node(8));
    fireEvent.click(page.button('Run to here'));
    await waitFor(() => expect(page.node(8).dataset['state']).toBe('current'));
  });

  test('arrows walk along edges, one box in the tab order at a time', () => {
    const focused = () => page.host.querySelector('[role=treeitem][tabindex="0"]');
    expect(page.host.querySelectorAll('[role=treeitem][tabindex="0"]')).toHaveLength(1);
    const start = focused() as SVGGElement;
    start.focus();
    return (async () => {
      fireEvent.keyDown(start, { key: 'ArrowDown' });
      await waitFor(() => expect(focused()?.getAttribute('data-node-id')).toBe('1'));
      expect(document.activeElement).toBe(page.node(1));
      fireEvent.keyDown(page.node(1), { key: 'ArrowUp' });
      await waitFor(() => expect(document.activeElement).toBe(page.node(0)));
    })();
  });

  test('finds a node by a part of its name', async () => {
    fireEvent.click(page.button('Search nodes'));
    const field = await within(page.host).findByRole('textbox', { name: 'Node name' });
    expect(document.activeElement).toBe(field);
    fireEvent.input(field, { target: { value: 'tanh' } });
    await waitFor(() => expect(page.node(5).classList.contains('vg-match')).toBe(true));
    fireEvent.keyDown(field, { key: 'Enter' });
    await waitFor(() => expect(page.node(5).getAttribute('aria-selected')).toBe('true'));
    fireEvent.keyDown(field, { key: 'Escape' });
    await waitFor(() =>
      expect(within(page.host).queryByRole('textbox', { name: 'Node name' })).toBeNull()
    );
    expect(document.activeElement).toBe(page.node(5)); // arrows walk on from what was found
  });

  test('keys that mean nothing here are left to the host', () => {
    expect(fireEvent.keyDown(page.node(0), { key: 'k' })).toBe(true);
    expect(fireEvent.keyDown(page.node(0), { key: 's', ctrlKey: true })).toBe(true);
    expect(fireEvent.keyDown(page.node(0), { key: 'F10' })).toBe(false);
  });

  test('hides its own keys from JupyterLab, and only those', () => {
    const seen: boolean[] = [];
    const look = () => seen.push(page.root.hasAttribute('data-lm-suppress-shortcuts'));
    document.addEventListener('keydown', look, true);
    fireEvent.keyDown(page.node(0), { key: 'b' });
    page.root.removeAttribute('data-lm-suppress-shortcuts');
    fireEvent.keyDown(page.node(0), { key: 's', ctrlKey: true });
    document.removeEventListener('keydown', look, true);
    expect(seen).toEqual([true, false]);
  });

  test('takes everything away when it is unmounted', () => {
    page.view.unmount();
    expect(page.host.childNodes).toHaveLength(0);
  });
});

test('names are text, whatever they look like', async () => {
  await page.open(hostile);
  fireEvent.click(page.button('Continue'));
  await waitFor(() => expect(page.root.dataset['status']).toBe('finished'));
  fireEvent.click(page.node(0));
  await waitFor(() =>
    expect(page.region('Inspector').getByText('Stages of the visit')).toBeTruthy()
  );
  expect(
    page.host.querySelectorAll('img, script, a, iframe, object, embed, foreignObject')
  ).toHaveLength(0);
  const evil = '<img src=x onerror=alert(1)>';
  const said = page.region('Inspector').getAllByText(text => text.includes(evil));
  expect(said.length).toBeGreaterThan(3);
  expect(page.node(0).getAttribute('aria-label')?.startsWith(evil)).toBe(true);
  for (const element of page.host.querySelectorAll('*')) {
    expect(element.id).toBe('');
    for (const { name } of element.attributes) {
      expect(name.startsWith('on') || name === 'href' || name === 'src').toBe(false);
    }
  }
});

describe('without a session', () => {
  test('says what to run', async () => {
    page.mount(mlp, { followNewest: true });
    const reason = 'vizgrad is not imported in this kernel. Run `import vizgrad` in a cell.';
    page.kernel.become({ state: 'closed', reason });
    const alert = await within(page.host).findByRole('alert');
    const [what, steps] = alert.querySelectorAll('p');
    expect(what?.textContent).toBe('vizgrad is not imported in this kernel.');
    expect(steps?.textContent).toBe('Run import vizgrad in a cell.');
    const writeText = vi.fn(() => Promise.resolve());
    vi.stubGlobal('navigator', { userAgent: 'jsdom', clipboard: { writeText } });
    fireEvent.click(within(alert).getByRole('button', { name: 'Copy import vizgrad' }));
    await waitFor(() => expect(alert.querySelector('button')?.textContent).toBe('Copied'));
    expect(writeText).toHaveBeenCalledWith('import vizgrad');
    vi.unstubAllGlobals();
  });

  test('a kernel that speaks another language is an error shown, not a blank page', async () => {
    await page.open(mlp);
    page.kernel.emit({ type: 'at_revision', session: 's1' });
    const alert = await within(page.host).findByRole('alert');
    expect(alert.textContent).toContain('at_revision.revision');
    expect(page.button('Step')).toBeTruthy();
  });
});
