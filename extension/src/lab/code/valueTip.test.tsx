import { EditorState } from '@codemirror/state';
import { expect, test } from 'vitest';

import { drawValue, statistics, wordAt } from './valueTip';

function nameAt(text: string, place: string): string | null {
  const state = EditorState.create({ doc: `first\n${text}` });
  return wordAt(state, 6 + text.indexOf(place))?.text ?? null;
}

test('a name is taken with what it is an attribute of, and no further than the pointer', () => {
  const line = 'loss = model.layer.weight.grad.norm() + x[i]';
  expect(nameAt(line, 'loss')).toBe('loss');
  expect(nameAt(line, 'model')).toBe('model');
  expect(nameAt(line, 'weight')).toBe('model.layer.weight');
  expect(nameAt(line, 'grad')).toBe('model.layer.weight.grad');
  expect(nameAt(line, 'x[')).toBe('x');
});

test('keywords, comments and texts are no variables', () => {
  expect(nameAt('for x in y:', 'for')).toBeNull();
  expect(nameAt('a = 1  # of w', 'w')).toBeNull();
  expect(nameAt("print('of w', w)", 'w')).toBeNull();
  expect(nameAt("print('of w', z)", 'z')).toBe('z');
  expect(nameAt('a = 12 + b', '12')).toBeNull();
});

const SUMMARY = {
  shape: [2, 3],
  dtype: 'float32',
  device: 'cpu',
  bytes: 24,
  norm: 3.5,
  min: -1,
  max: 2,
  mean: 0.25,
  zeros: 0,
  nans: 1,
  infs: 0,
  histogram: [],
  heat: null,
  values: null,
  phases: null,
  layout: 'strided',
  nnz: null,
  tangents: []
};

test('a tensor is told by its statistics, a small one by its values, anything else in words', () => {
  expect(statistics(SUMMARY)).toBe('norm 3.5, mean 0.25, from -1 to 2, 1 NaN');
  expect(statistics({ ...SUMMARY, values: [1, 2.5] })).toBe('1, 2.5');
  const watched = { id: 0, expression: 'w', text: '', summary: SUMMARY, error: '' };
  expect(drawValue(watched).textContent).toContain('w float32 [2, 3]');
  expect(drawValue({ ...watched, summary: null, text: '<b>7</b>' }).querySelector('b')).toBeNull();
});
