import { fireEvent, waitFor, within } from '@testing-library/preact';
import { afterEach, beforeEach, expect, test } from 'vitest';

import { Player } from '../../../tests/player';
import { RECORDINGS } from '../../../tests/recordings';
import { openView } from '..';
import type { MountedView } from '..';

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

async function open(): Promise<HTMLInputElement> {
  fireEvent.click(within(host).getByRole('tab', { name: /^Watch/ }));
  return within(host).findByRole('textbox', { name: 'Expression to watch' });
}

function enter(field: HTMLElement, value: string): void {
  fireEvent.input(field, { target: { value } });
  fireEvent.keyDown(field, { key: 'Enter' });
}

function asked(type: string): object[] {
  return player.requests.filter(request => request.type === type);
}

const entry = (name: string): Promise<HTMLElement> =>
  within(host).findByRole('button', { name: `Edit ${name}` });

test('nothing is asked before the list is seen, and again after each step', async () => {
  fireEvent.click(within(host).getByRole('button', { name: 'Step' }));
  await waitFor(() => expect(player.position).toBe(1));
  expect(asked('get_watches')).toHaveLength(0);
  await open();
  expect(asked('get_watches')).toHaveLength(1);
  fireEvent.click(within(host).getByRole('button', { name: 'Step' }));
  await waitFor(() => expect(asked('get_watches')).toHaveLength(2));
  fireEvent.click(within(host).getByRole('tab', { name: /^Watch/ }));
  fireEvent.click(within(host).getByRole('button', { name: 'Step' }));
  await waitFor(() => expect(player.position).toBe(3));
  expect(asked('get_watches')).toHaveLength(2);
});

test('entries are added, edited and removed with the keyboard alone', async () => {
  const field = await open();
  enter(field, 'w.grad');
  const added = await entry('w.grad');
  expect(added.closest('li')?.textContent).toContain('6');
  expect(field.value).toBe('');
  added.focus();
  fireEvent.keyDown(added, { key: 'F2' });
  const editor = await within(host).findByRole('textbox', { name: 'Edit w.grad' });
  expect(document.activeElement).toBe(editor);
  enter(editor, 'w.grad * 2');
  const edited = await entry('w.grad * 2');
  await waitFor(() => expect(document.activeElement).toBe(edited));
  fireEvent.keyDown(edited, { key: 'Delete' });
  await waitFor(() => expect(within(host).queryByText('w.grad * 2')).toBe(null));
  expect(asked('remove_watch')).toMatchObject([{ watch: 1 }]);
});

test('what is refused stands beside its field, as it was typed', async () => {
  const field = await open();
  enter(field, 'w +');
  expect((await within(host).findByRole('alert')).textContent).toBe('This is no expression.');
  await waitFor(() => expect(field.value).toBe('w +'));
  enter(field, 'w');
  const added = await entry('w');
  expect(within(host).queryByRole('alert')).toBe(null);
  fireEvent.click(added);
  enter(await within(host).findByRole('textbox', { name: 'Edit w' }), 'w+');
  await within(host).findByRole('alert');
  const again = within(host).getByRole<HTMLInputElement>('textbox', { name: 'Edit w' });
  await waitFor(() => expect(again.value).toBe('w+'));
  fireEvent.keyDown(again, { key: 'Escape' });
  await entry('w');
  expect(within(host).queryByRole('alert')).toBe(null);
});
