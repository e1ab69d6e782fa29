import { expect, test } from 'vitest';

import { COMMANDS } from '../protocol';
import page from '../../schema/panel.json';
import { keysIn, strokeOfLab } from './keys';

test('keys are read as JupyterLab writes them', () => {
  const read = ['B', 'Shift /', 'Shift =', '=', '[', 'Shift F10', 'Shift N', 'Enter'];
  expect(read.map(strokeOfLab)).toEqual(['b', '?', '+', '=', '[', 'Shift F10', 'Shift N', 'Enter']);
  expect(['Accel B', 'Ctrl Shift X', 'Alt 1'].map(strokeOfLab)).toEqual([null, null, null]);
});

test('the keys of the setting page are those that were declared', () => {
  const keys = keysIn((page as Record<string, never>)['jupyter.lab.shortcuts'] as never);
  for (const { name, keys: own } of COMMANDS) {
    expect(keys[name]).toEqual(own);
  }
});

test('a command whose key was taken away has none; one of two strokes stays JupyterLab’s', () => {
  const bindings = [{ command: 'vizgrad:step', keys: ['Ctrl K', 'S'], selector: '.vg-root' }];
  expect(keysIn(bindings as never).step).toEqual([]);
});
