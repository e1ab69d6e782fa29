import { fireEvent, waitFor, within } from '@testing-library/preact';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

import { Player } from '../../tests/player';
import { RECORDINGS } from '../../tests/recordings';
import type { Recording } from '../../tests/recordings';
import { openView } from '.';
import type { MountedView } from '.';

let host: HTMLElement;
let view: MountedView;

const root = () => host.querySelector('.vg-root') as HTMLElement;
const node = (id: number) => host.querySelector(`[data-node-id="${id}"]`) as SVGGElement;
const says = (what: RegExp) =>
  waitFor(() => expect(host.querySelector('.vg-live')?.textContent).toMatch(what));

async function open(recording: Recording): Promise<void> {
  view = openView(host, new Player(recording));
  await waitFor(() => expect(root().dataset['layout']).toBe('done'), { timeout: 4000 });
}

beforeEach(() => {
  host = document.createElement('div');
  document.body.append(host);
  vi.spyOn(Element.prototype, 'getBoundingClientRect').mockReturnValue(
    new DOMRect(0, 0, 1000, 600)
  );
});

afterEach(() => {
  view.unmount();
  host.remove();
});

test('it says what was opened, and which keys there are', async () => {
  await open(RECORDINGS.mlp);
  await says(
    /^Backward of .*: 1\d nodes, paused at 0 of 12, next MeanBackward0\. F10 steps, \? lists/
  );
});

test('it says what a person does: a step, a node, a breakpoint, following', async () => {
  await open(RECORDINGS.mlp);
  fireEvent.keyDown(node(0), { key: 'F10' });
  await says(/^MeanBackward0 done, 1 of 12$/);
  fireEvent.keyDown(node(5), { key: 'Enter' });
  await says(/^TanhBackward0, waiting, 0 of 1$/);
  fireEvent.keyDown(node(5), { key: 'b' });
  await says(/^Breakpoint before TanhBackward0$/);
  fireEvent.keyDown(node(5), { key: 'b' });
  await says(/^No breakpoint before TanhBackward0$/);
  fireEvent.keyDown(node(5), { key: 'Escape' });
  await says(/^Following the run$/);
});

test('it says what is stale, who wrote it, and the key for the next problem goes there', async () => {
  await open(RECORDINGS.stale);
  const stale = /saved \w+, which is stale: mul_ wrote version 1 through leaves\['w2'\]/;
  await says(stale);
  fireEvent.keyDown(root(), { key: 'F10' });
  await says(/done, 1 of/);
  fireEvent.keyDown(root(), { key: 'n' });
  await says(stale);
  expect(within(host).getByRole('treeitem', { selected: true })).toBeTruthy();
  expect(view.store.state.value.view.follow).toBe(false);
});
