import { render } from '@testing-library/preact';
import { expect, test } from 'vitest';

import { Curve } from './Curve';
import type { Norms } from './norms';
import { TextMetrics } from './text';

const drawn = (norms: Norms): number =>
  render(
    <svg>
      <Curve norms={norms} cells={3} width={100} height={20} metrics={new TextMetrics()} />
    </svg>
  ).container.querySelectorAll('.vg-curve-ground').length;

test('a curve of one dot is not drawn, and what is not finite is', () => {
  expect(drawn([null, 0.5, null])).toBe(0);
  expect(drawn([null, 0.5, 0.6])).toBe(1);
  expect(drawn([null, NaN, null])).toBe(1);
  expect(drawn([null, 0, null])).toBe(1);
});
