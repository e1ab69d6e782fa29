import { afterEach, expect, test } from 'vitest';

import { keepFocus } from './keepFocus';

let stop = (): void => undefined;
afterEach(() => {
  stop();
  document.body.innerHTML = '';
});

/** A view with a button, and a button beside it. */
function view(): { root: HTMLElement; button: HTMLElement; other: HTMLElement } {
  document.body.innerHTML = '<div tabindex="-1"><button></button></div><button></button>';
  const found = (selector: string, at = 0): HTMLElement =>
    document.querySelectorAll<HTMLElement>(selector)[at] as HTMLElement;
  const root = found('div');
  stop = keepFocus(root);
  return { root, button: found('button'), other: found('button', 1) };
}
const settled = (): Promise<void> => new Promise(done => setTimeout(done));

test('the view gets the focus of a button that goes', async () => {
  const { root, button } = view();
  button.focus();
  button.remove();
  await settled();
  expect(document.activeElement).toBe(root);
  // As often as it happens.
  root.append(button);
  button.focus();
  button.remove();
  await settled();
  expect(document.activeElement).toBe(root);
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
