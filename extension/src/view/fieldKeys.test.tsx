import { fireEvent, waitFor, within } from '@testing-library/preact';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { Player } from '../../tests/player';
import { RECORDINGS } from '../../tests/recordings';
import { openView } from '.';
import type { MountedView } from '.';

let host: HTMLElement;
let player: Player;
let view: MountedView;

beforeEach(async () => {
  host = document.createElement('div');
  document.body.append(host);
  player = new Player(RECORDINGS.mlp);
  view = openView(host, player);
  await within(host).findByRole('button', { name: 'Step' });
});

afterEach(() => {
  view.unmount();
  host.remove();
});

function field(name: RegExp | string): HTMLInputElement {
  return within(host).getByRole('textbox', { name });
}

function type(into: HTMLInputElement, value: string): void {
  into.focus();
  fireEvent.input(into, { target: { value } });
}

/** As JupyterLab leaves it in a cell: of Enter a browser makes nothing. */
function press(at: Element, key: string, more: KeyboardEventInit = {}): void {
  fireEvent.keyDown(at, { key, ...more });
}

function asked(type: string): object[] {
  return player.requests.filter(request => request.type === type);
}

describe('What if', () => {
  const what = /New gradient of/;

  test('Enter changes the gradient, once', async () => {
    type(field(what), 'g*0+1');
    press(field(what), 'Enter');
    expect(asked('set_grad')).toMatchObject([{ value: 'g*0+1' }]);
    await waitFor(() => expect(field(what).value).toBe(''));
    press(field(what), 'Enter');
    expect(asked('set_grad')).toHaveLength(1);
  });

  test('Enter that ends a composition changes nothing', () => {
    type(field(what), 'g');
    press(field(what), 'Enter', { isComposing: true });
    expect(asked('set_grad')).toHaveLength(0);
  });

  test('what is refused is said beside the field, which keeps what was typed until it is changed', async () => {
    type(field(what), 'g /');
    press(field(what), 'Enter');
    const form = field(what).closest('.vg-what-if') as HTMLElement;
    const alert = await within(form).findByRole('alert');
    expect(alert.textContent).toContain('There is no such node ahead.');
    await waitFor(() => expect(field(what).value).toBe('g /'));
    expect(host.querySelector('.vg-banner')).toBeNull();
    type(field(what), 'g / 2');
    await waitFor(() => expect(within(form).queryByRole('alert')).toBeNull());
  });

  test('Escape takes back what was typed, then leaves the field', async () => {
    type(field(what), 'g * 7');
    press(field(what), 'Escape');
    await waitFor(() => expect(field(what).value).toBe(''));
    expect(document.activeElement).toBe(field(what));
    press(field(what), 'Escape');
    expect(document.activeElement).not.toBe(field(what));
    expect(asked('set_grad')).toHaveLength(0);
  });
});

describe('a new breakpoint', () => {
  beforeEach(async () => {
    fireEvent.click(within(host).getByRole('tab', { name: /^Breakpoints/ }));
    fireEvent.click(await within(host).findByRole('button', { name: 'New breakpoint' }));
    await within(host).findByRole('form', { name: 'New breakpoint' });
  });

  test.each(['Where to pause', 'Condition', 'Hit count'])('Enter in "%s" adds it', async name => {
    type(field('Where to pause'), 'Mul*');
    await waitFor(() =>
      expect(within(host).getByRole('button', { name: 'Add' })).toHaveProperty('disabled', false)
    );
    press(within(host).getByLabelText(name), 'Enter');
    expect(asked('add_breakpoint')).toMatchObject([{ kind: 'op', text: 'Mul*' }]);
  });

  test('Enter on Close is left to the button', () => {
    type(field('Where to pause'), 'Mul*');
    press(within(host).getByRole('button', { name: 'Close' }), 'Enter');
    expect(asked('add_breakpoint')).toHaveLength(0);
  });

  test('Escape closes it', async () => {
    type(field('Where to pause'), 'Mul*');
    press(field('Where to pause'), 'Escape');
    await waitFor(() =>
      expect(within(host).queryByRole('form', { name: 'New breakpoint' })).toBe(null)
    );
    expect(asked('add_breakpoint')).toHaveLength(0);
  });
});
