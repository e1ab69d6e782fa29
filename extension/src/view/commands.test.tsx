import { fireEvent, waitFor, within } from '@testing-library/preact';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';

import { Player } from '../../tests/player';
import { RECORDINGS } from '../../tests/recordings';
import { COMMANDS, IN_CODE, PREFERENCES } from '../protocol';
import type { CommandName } from '../protocol';
import { ASK_HOST, askView, writeHost } from './host';
import type { Asked } from './host';
import { openView } from '.';
import type { MountedView } from '.';

let host: HTMLElement;
let kernel: Player;
let view: MountedView;

const root = () => host.querySelector('.vg-root') as HTMLElement;
const button = (name: string) => within(host).getByRole('button', { name });
const node = (id: number) => host.querySelector(`[data-node-id="${id}"]`) as SVGGElement;
const at = (position: number) =>
  waitFor(() => expect(root().dataset['position']).toBe(String(position)));
const press = (target: Element, key: string, more: object = {}) =>
  fireEvent.keyDown(target, { key, ...more });

beforeEach(async () => {
  host = document.createElement('div');
  document.body.append(host);
  vi.spyOn(Element.prototype, 'getBoundingClientRect').mockReturnValue(
    new DOMRect(0, 0, 1000, 600)
  );
  kernel = new Player(RECORDINGS.mlp);
  view = openView(host, kernel);
  await waitFor(() => expect(root().dataset['layout']).toBe('done'));
});

afterEach(() => {
  view.unmount();
  host.remove();
  delete document.documentElement.dataset['vizgrad'];
});

describe('what was declared', () => {
  test('is done by the view, or by its host where there is one that offers it', () => {
    for (const { name, byHost } of COMMANDS) {
      expect(`${name} ${view.commands.has(name)}`).toBe(`${name} ${!byHost}`);
    }
  });

  test('is listed in help, with its keys and how it is written in code', () => {
    fireEvent.click(button('Help'));
    const dialog = within(host).getByRole('dialog');
    for (const { name, label, help, keys, code, byHost } of COMMANDS) {
      const row = dialog.querySelector(`[data-command="${name}"]`);
      expect(row === null).toBe(byHost);
      if (row) {
        expect(row.textContent).toBe(`${keys.join('')}${label} ${help}`);
      }
      expect(code === '' || within(dialog).getByText(code)).toBeTruthy();
    }
    for (const { magic } of IN_CODE) {
      expect(within(dialog).getByText(magic)).toBeTruthy();
    }
  });

  test('has buttons with the label, the key and the sentence', () => {
    const buttons = [
      ...host.querySelectorAll('.vg-toolbar button:not(.vg-split), .vg-graph-tools button')
    ];
    expect(buttons.length).toBeGreaterThan(12);
    for (const each of buttons) {
      const declared = COMMANDS.find(({ label }) => label === each.getAttribute('aria-label'));
      expect(each.getAttribute('title')).toContain(declared?.help);
    }
    expect(button('Step').getAttribute('aria-keyshortcuts')).toBe('F10');
    expect(button('Step back').getAttribute('aria-keyshortcuts')).toBe('Shift+F10');
  });

  test('is labelled where there is room, and no sign means something else elsewhere', () => {
    for (const name of ['Continue', 'Step', 'Step back', 'Run to here']) {
      expect(button(name).textContent).toBe(name);
    }
    for (const name of ['Run to here', 'Add breakpoint']) {
      // A filled disc means "record" elsewhere.
      expect(button(name).querySelectorAll('circle[fill="currentColor"]')).toHaveLength(0);
    }
  });
});

describe('more steps', () => {
  const items = () => within(host).getAllByRole('menuitem');

  test('are in a menu beside Step, which arrows walk and Escape closes', async () => {
    const more = button('More steps');
    expect(more.getAttribute('aria-expanded')).toBe('false');
    more.focus();
    press(more, 'ArrowDown');
    await waitFor(() => expect(more.getAttribute('aria-expanded')).toBe('true'));
    const declared = COMMANDS.filter(({ menus, byHost }) => menus.includes('step') && !byHost);
    expect(items().map(item => item.querySelector('.vg-menu-label')?.textContent)).toEqual(
      declared.map(({ label }) => label)
    );
    expect(document.activeElement).toBe(items()[0]);
    press(document.activeElement as Element, 'End');
    expect(document.activeElement?.textContent).toContain('Run to next leaf');
    press(document.activeElement as Element, 'Escape');
    await waitFor(() => expect(within(host).queryByRole('menu')).toBeNull());
    expect(document.activeElement).toBe(more);
  });

  test('say why they make no sense now', async () => {
    fireEvent.click(button('More steps'));
    await waitFor(() => items());
    const why = new Map(
      items().map(item => [
        item.querySelector('.vg-menu-label')?.textContent,
        item.getAttribute('aria-description')
      ])
    );
    expect(why.get('Step one stage')).toBeNull();
    expect(why.get('Step back one stage')).toBe('Not now: the run is at its start.');
    expect(why.get('Step in')).toBe('Not now: MeanBackward0 runs none of your Python code.');
    expect(why.get('Step out')).toBe(
      'Not now: the run is paused between two nodes. Step in, or step one stage, first.'
    );
    for (const item of items()) {
      const reason = item.getAttribute('aria-description');
      expect(item.getAttribute('aria-disabled')).toBe(`${reason !== null}`);
      expect(reason === null || item.title.endsWith(reason)).toBe(true);
    }
    expect(button('Restart').title).toContain('Not now: the run is at its start.');
  });

  test('are asked of the kernel', async () => {
    const asked = () => kernel.requests.filter(({ type }) => /^(st|run_to_l)/.test(type));
    press(node(0), '.');
    await waitFor(() => expect(asked()).toMatchObject([{ type: 'stage', count: 1 }]));
    await within(host).findByRole('alert'); // The player knows no stages: what waits is let go of then.
    press(node(0), 'l');
    await waitFor(() => expect(asked()[1]).toMatchObject({ type: 'run_to_leaf' }));
    press(node(0), 'F11'); // The first node runs nothing of a person's.
    press(node(0), 'F11', { shiftKey: true });
    await waitFor(() => expect(asked()).toHaveLength(2));
  });
});

describe('keys', () => {
  test('a command of the graph works there, and not where one types', async () => {
    press(node(0), '/');
    const field = await within(host).findByRole('textbox', { name: 'Node name' });
    expect(press(field, 'b')).toBe(true);
    expect(press(field, 'p')).toBe(true);
    expect(press(field, 'F10')).toBe(false);
    await at(1);
    expect(root().querySelector('[data-breakpoint]')).toBeNull();
  });

  test('are those that a person has set', async () => {
    writeHost(document, { commands: [], keys: { step: ['s'] }, preferences: PREFERENCES });
    await waitFor(() => expect(button('Step').getAttribute('aria-keyshortcuts')).toBe('s'));
    press(node(0), 'F10');
    press(node(0), 's');
    await at(1);
  });

  test('b and r are about the node with the keyboard, buttons about the selected one', async () => {
    fireEvent.click(node(8));
    press(node(5), 'b');
    await waitFor(() => expect(node(5).dataset['breakpoint']).toBe('on'));
    fireEvent.click(button('Add breakpoint'));
    await waitFor(() => expect(node(8).dataset['breakpoint']).toBe('on'));
  });
});

describe('Escape', () => {
  test('closes help, wherever the keyboard is, and gives it back', async () => {
    button('Help').focus();
    fireEvent.click(button('Help'));
    const dialog = await within(host).findByRole('dialog');
    await waitFor(() => expect(dialog.contains(document.activeElement)).toBe(true));
    press(document.activeElement as Element, 'Escape');
    await waitFor(() => expect(within(host).queryByRole('dialog')).toBeNull());
    expect(document.activeElement).toBe(button('Help'));
    fireEvent.click(button('Help'));
    press(button('Step'), 'Escape');
    await waitFor(() => expect(within(host).queryByRole('dialog')).toBeNull());
  });

  test('closes the search from its field, its buttons and the graph', async () => {
    for (const where of ['textbox', 'button', 'graph']) {
      fireEvent.click(button('Search nodes'));
      const field = await within(host).findByRole('textbox', { name: 'Node name' });
      const from = { textbox: field, button: button('Next match'), graph: node(0) }[where];
      press(from as Element, 'Escape');
      await waitFor(() => expect(within(host).queryByRole('search')).toBeNull());
      expect(document.activeElement?.getAttribute('role')).toBe('treeitem');
    }
  });

  test('goes from the toolbar to the graph, and there back to the current node', () => {
    fireEvent.click(node(3));
    button('Step').focus();
    press(button('Step'), 'Escape');
    expect(document.activeElement).toBe(node(3));
    expect(view.store.state.value.view.follow).toBe(false);
    press(node(3), 'Escape');
    expect(view.store.state.value.view.follow).toBe(true);
  });

  test('leaves the other node: what is done to a node is done to the current one', async () => {
    fireEvent.click(node(3));
    expect(view.commands.can('run-to-here')).toBe(true);
    press(node(3), 'Escape');
    await waitFor(() => expect(view.commands.can('run-to-here')).toBe(false), { timeout: 3000 });
    expect(document.activeElement).toBe(node(0));
  });
});

describe('the menu', () => {
  test('of a node does to it what it says, and closes', async () => {
    fireEvent.contextMenu(node(5));
    const menu = await within(host).findByRole('menu', { name: /^TanhBackward0/ });
    const items = within(menu).getAllByRole('menuitem');
    expect(document.activeElement).toBe(items[0]);
    expect(items.map(item => item.querySelector('.vg-menu-label')?.textContent)).toEqual(
      COMMANDS.filter(({ menus }) => menus.includes('node')).map(({ label }) => label)
    );
    press(items[0] as Element, 'ArrowDown');
    expect(document.activeElement).toBe(items[1]);
    fireEvent.click(within(menu).getByRole('menuitem', { name: /^Add breakpoint/ }));
    await waitFor(() => expect(node(5).dataset['breakpoint']).toBe('on'));
    expect(within(host).queryByRole('menu')).toBeNull();
    press(node(5), 'm');
    const again = await within(host).findByRole('menu');
    expect(within(again).getByRole('menuitem', { name: /^Remove breakpoint/ })).toBeTruthy();
  });

  test('opens from the keyboard and gives the keyboard back on Escape', async () => {
    node(5).focus();
    press(node(5), 'ContextMenu');
    await within(host).findByRole('menu');
    press(document.activeElement as Element, 'Escape');
    await waitFor(() => expect(within(host).queryByRole('menu')).toBeNull());
    expect(document.activeElement).toBe(node(5));
  });

  test('of the graph is there beside nodes; with Shift it is the browser’s', async () => {
    const canvas = host.querySelector('.vg-canvas') as Element;
    expect(fireEvent.contextMenu(canvas, { shiftKey: true })).toBe(true);
    expect(fireEvent.contextMenu(canvas)).toBe(false);
    const menu = await within(host).findByRole('menu', { name: 'Graph' });
    expect(within(menu).getByRole('menuitem', { name: /^Zoom to fit/ })).toBeTruthy();
    fireEvent.pointerDown(button('Step'));
    await waitFor(() => expect(within(host).queryByRole('menu')).toBeNull());
  });
});

describe('the host', () => {
  test('asks what can be done, and has it done', async () => {
    expect(askView(root(), 'step', 'can')).toBe(true);
    expect(askView(root(), 'step-back', 'can')).toBe(false);
    askView(root(), 'step');
    await at(1);
    expect(askView(root(), 'step-back', 'can')).toBe(true);
    expect(askView(root(), 'presentation', 'isOn')).toBe(false);
    expect(askView(root(), 'last-node', 'can')).toBe(true);
    expect(askView(root(), 'follow', 'can')).toBe(false);
    askView(root(), 'last-node');
    expect(askView(root(), 'follow', 'can')).toBe(true);
  });

  test('is asked for what it offers', async () => {
    const commands: CommandName[] = ['pop-out'];
    writeHost(document, { commands, keys: {}, preferences: PREFERENCES });
    const asked: Asked[] = [];
    host.addEventListener(ASK_HOST, event => asked.push((event as CustomEvent<Asked>).detail));
    fireEvent.click(await within(host).findByRole('button', { name: 'Open in a tab' }));
    expect(asked).toEqual([{ command: 'pop-out', session: 's1' }]);
  });
});

test('F6 goes from part to part, and comes round', async () => {
  fireEvent.click(within(host).getByRole('tab', { name: 'Engine' }));
  await within(host).findByRole('region', { name: 'Engine' });
  button('Continue').focus();
  const seen = new Set<string>();
  for (let i = 0; i < 12; i++) {
    press(document.activeElement as Element, 'F6');
    const active = document.activeElement as Element;
    const part = active.closest('[role="region"], [role="toolbar"], [role="tablist"]');
    seen.add(part?.getAttribute('aria-label') ?? '');
  }
  expect([...seen].sort()).toEqual(['Debugger', 'Engine', 'Graph', 'Inspector', 'Parts', 'View']);
});
