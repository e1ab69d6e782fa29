import { expect, test } from 'vitest';

import { Flows } from './flows';

function after(...norms: (number | null)[]): Flows {
  const flows = new Flows();
  norms.forEach((norm, node) => flows.add(0, node, norm));
  return flows;
}

test('of several gradients the largest is shown; NaN is larger than inf, undefined less than 0', () => {
  expect(after().largest(0)).toBeUndefined();
  expect(after(null, null).largest(0)).toBeNull();
  expect(after(null, 0).largest(0)).toBe(0);
  expect(after(1, 3, 2).largest(0)).toBe(3);
  expect(after(Infinity, NaN, 5).largest(0)).toBeNaN();
  expect(after(NaN, Infinity).largest(0)).toBeNaN();
});

test('a step back takes the largest back, if it was of that step', () => {
  const flows = after(1, 3, 2);
  flows.takeBack(0, 2);
  expect(flows.largest(0)).toBe(3);
  flows.takeBack(0, 1);
  expect(flows.largest(0)).toBe(1);
  flows.takeBack(0, 0);
  expect(flows.largest(0)).toBeUndefined();
  flows.add(0, 0, 4);
  expect(flows.largest(0)).toBe(4);
});
