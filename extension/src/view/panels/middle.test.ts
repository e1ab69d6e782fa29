import { expect, test } from 'vitest';

import { parted } from './Middle';

test.each([
  ['result of SqrtBackward0', ['result ', 'of Sqrt', 'Backward0']],
  ['LogSoftmaxBackward0', ['Log', 'Softmax', 'Backward0']],
  [
    'encoder.layers.11.self_attn.out_proj.weight',
    ['encoder.layers.11.self_attn.out_', 'proj.weight', '']
  ],
  ["leaves['w2']", ['leaves', "['w2']", '']],
  ['AccumulateGrad', ['Accumulate', 'Grad', '']],
  ['x', ['x', '', '']],
  ['weight', ['weight', '', '']],
  ['averylongnamewithoutanywordsinit', ['averylongnamewithoutanywordsinit', '', '']],
  ['Backward0', ['Backward0', '', '']]
])('%s is cut between words, and first where all names are alike', (text, [start, end, tail]) => {
  expect(parted(text)).toEqual({ start, end, tail });
  expect(`${start}${end}${tail}`).toBe(text);
});
