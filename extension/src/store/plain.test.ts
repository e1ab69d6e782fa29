import { expect, test } from 'vitest';

import { saved } from '../../tests/drawings';
import { isPlain, isTensor } from './plain';

test('an option of the formula is no saved tensor; what a hook packed is one', () => {
  const plain = saved('dim', { value: '1', dtype: '', shape: [], bytes: 0 });
  expect([isPlain(plain), isTensor(plain)]).toEqual([true, false]);
  for (const tensor of [saved('self'), saved('self', { state: 'packed', value: 'tuple' })]) {
    expect([isPlain(tensor), isTensor(tensor)]).toEqual([false, true]);
  }
});
