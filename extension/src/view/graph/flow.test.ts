import { expect, test } from 'vitest';

import { edgeKey } from '../../store';
import { flowOf, lineWidth } from './flow';

const one = [{ node: 1, edge: 0 }];

test('an edge had a gradient, an undefined one, or none yet', () => {
  expect(flowOf(one, new Map())).toEqual({ flow: 'none', norm: null });
  expect(flowOf(one, new Map([[edgeKey(1, 0), null]]))).toEqual({ flow: 'undefined', norm: null });
  expect(flowOf(one, new Map([[edgeKey(1, 0), 2]]))).toEqual({ flow: 'value', norm: 2 });
});

test('a line for several edges shows the largest gradient, and any NaN', () => {
  const edges = [0, 1, 2].map(edge => ({ node: 1, edge }));
  const flows = (...norms: (number | null)[]) =>
    new Map(norms.map((norm, edge) => [edgeKey(1, edge), norm]));
  expect(flowOf(edges, flows(1, null, 3))).toEqual({ flow: 'value', norm: 3 });
  expect(flowOf(edges, flows(1, NaN, 3)).norm).toBeNaN();
});

test('width grows with the logarithm of the norm, within bounds', () => {
  const width = (norm: number | null) => lineWidth({ flow: 'value', norm });
  const widths = [0, 1e-9, 1e-3, 1, 1e3, 1e9, Infinity, NaN].map(width);
  expect(widths).toEqual([1.3, 1.3, 2.4, 3.4, 4.5, 4.5, 4.5, 4.5]);
  expect(lineWidth({ flow: 'undefined', norm: null })).toBe(1.3);
});
