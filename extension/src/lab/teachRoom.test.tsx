/** The left side of JupyterLab, while a view is set out to teach. */
import type { ILabShell } from '@jupyterlab/application';
import { Signal } from '@lumino/signaling';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

import { giveRoomToTeach } from './teachRoom';

class Shell {
  leftCollapsed = false;
  readonly layoutModified = new Signal<ILabShell, void>(this as unknown as ILabShell);
  readonly restored = Promise.resolve({} as ILabShell.ILayout);
  collapseLeft(): void {
    this.leftCollapsed = true;
    this.layoutModified.emit();
  }
  expandLeft(): void {
    this.leftCollapsed = false;
    this.layoutModified.emit();
  }
}

let shell: Shell;
let end: () => void;

const settle = (): Promise<unknown> => vi.advanceTimersByTimeAsync(0);
const teach = async (on: boolean): Promise<void> => {
  document.body.classList.toggle('vg-teaching', on);
  await settle();
};

beforeEach(async () => {
  vi.useFakeTimers();
  localStorage.clear();
  document.body.innerHTML = '<div class="vg-root"></div>';
  shell = new Shell();
  end = giveRoomToTeach(shell);
  await settle();
});

afterEach(async () => {
  end();
  await teach(false);
  vi.useRealTimers();
});

test('it is hidden while it is taught, and put back after', async () => {
  await teach(true);
  expect(shell.leftCollapsed).toBe(true);
  await teach(false);
  expect(shell.leftCollapsed).toBe(false);
});

test('one that was hidden before stays hidden', async () => {
  shell.collapseLeft();
  await teach(true);
  await teach(false);
  expect(shell.leftCollapsed).toBe(true);
});

test('one that the user opened and closed meanwhile is left as it is', async () => {
  await teach(true);
  shell.expandLeft();
  await settle();
  expect(shell.leftCollapsed).toBe(false);
  shell.collapseLeft();
  await teach(false);
  expect(shell.leftCollapsed).toBe(true);
});

test('a cell that runs again brings its view before the side would come back', async () => {
  await teach(true);
  document.body.innerHTML = '';
  await teach(false);
  expect(shell.leftCollapsed).toBe(true);
  await teach(true);
  await vi.advanceTimersByTimeAsync(5000);
  expect(shell.leftCollapsed).toBe(true);
  await teach(false);
  await vi.advanceTimersByTimeAsync(5000);
  expect(shell.leftCollapsed).toBe(false);
});

test('after a reload it is put back, too', async () => {
  await teach(true);
  end();
  const next = new Shell();
  next.leftCollapsed = true;
  end = giveRoomToTeach(next);
  await settle();
  await teach(false);
  expect(next.leftCollapsed).toBe(false);
});
