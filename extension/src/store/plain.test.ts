import { expect, test } from 'vitest';

import { saved } from '../../tests/drawings';
import { isPlain, isTensor, plainText } from './plain';

test('an option of the formula is no saved tensor; what a hook packed is one', () => {
  const plain = saved('dim', { value: '1', dtype: '', shape: [], bytes: 0 });
  expect([isPlain(plain), isTensor(plain)]).toEqual([true, false]);
  for (const tensor of [saved('self'), saved('self', { state: 'packed', value: 'tuple' })]) {
    expect([isPlain(tensor), isTensor(tensor)]).toEqual([false, true]);
  }
});

test('what is kept of an input without its values is told in words', () => {
  const told = (name: string, value: string) => plainText(saved(name, { value }));
  expect(told('self_meta', '[2, 3] float32')).toBe(
    'self is [2, 3] float32: only its shape and type are kept'
  );
  expect(told('dim', '1')).toBe('dim = 1');
  expect(told('self_sym_numel', '12')).toBe('number of elements of self = 12');
  expect(told('self_sym_sizes', '(3,)')).toBe('size of self = (3,)');
});
