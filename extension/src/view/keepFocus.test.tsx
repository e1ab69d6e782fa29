import { afterEach, expect, test } from 'vitest';

import { keepFocus } from './keepFocus';

let stop = (): void => undefined;
afterEach(() => {
  stop();
  document.body.innerHTML = '';
});

/** A view with a button and a node of its graph, and a button beside it. */
function view(): { root: HTMLElement; button: HTMLElement; node: HTMLElement; other: HTMLElement } {
  document.body.innerHTML =
    '<div><button></button><p class="vg-canvas"><i tabindex="0"></i></p></div><button></button>';
  const found = (selector: string, at = 0): HTMLElement =>
    document.querySelectorAll<HTMLElement>(selector)[at] as HTMLElement;
  const root = found('div');
  stop = keepFocus(root);
  return { root, button: found('button'), node: found('i'), other: found('button', 1) };
}
const settled = (): Promise<void> => new Promise(done => setTimeout(done));

test('the graph gets the focus of a button that goes', async () => {
  const { button, node } = view();
  button.focus();
  button.remove();
  await settled();
  expect(document.activeElement).toBe(node);
  // As often as it happens.
  node.before(button);
  button.focus();
  button.remove();
  await settled();
  expect(document.activeElement).toBe(node);
});

test('a focus that is elsewhere is left there', async () => {
  const { button, other } = view();
  button.focus();
  other.focus();
  button.remove();
  await settled();
  expect(document.activeElement).toBe(other);
});

test('after a press elsewhere nothing is taken back', async () => {
  const { button } = view();
  button.focus();
  document.body.dispatchEvent(new Event('pointerdown', { bubbles: true }));
  button.remove();
  await settled();
  expect(document.activeElement).toBe(document.body);
});
