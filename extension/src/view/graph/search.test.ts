import { expect, test } from 'vitest';

import { mlp } from '../../../tests/graphs';
import type { Node } from '../../protocol';
import { searchNodes } from './search';
import { mainText } from './sizes';

const found = (query: string) => {
  const graph = mlp();
  return searchNodes(graph, query).map(id => mainText(graph.nodes[id] as Node));
};

test('finds by name, variable, scope and line, whatever the case', () => {
  expect(found('tanh')).toEqual(['TanhBackward0']);
  expect(found('w1')).toEqual(['w1']);
  expect(found('MLP.FC1')).toEqual(['AddmmBackward0', 'TBackward0']);
  expect(found('in [4]:3')).toEqual(['MeanBackward0', 'PowBackward0']);
});

test('a star stands for anything', () => {
  expect(found('a*mm*0')).toEqual(['AddmmBackward0', 'AddmmBackward0']);
  expect(found('0*addmm')).toEqual([]);
});

test('nothing is not everything, and signs mean nothing', () => {
  expect(found('')).toEqual([]);
  expect(found(' * ')).toEqual([]);
  expect(found('(.*')).toEqual([]);
});
