import { expect, test } from 'vitest';

import { bandsOf, heatOf, heatText, HEATS } from './heat';

test('a norm has one of nine steps, whatever the others are', () => {
  const steps = [0, 1e-9, 1e-7, 1e-5, 1e-3, 0.01, 1, 9.9, 10, 500, 2e3, 1e4, 1e30].map(heatOf);
  expect(steps).toEqual([-4, -4, -3, -2, -1, 0, 0, 0, 1, 2, 3, 4, 4]);
  expect([NaN, Infinity].map(heatOf)).toEqual(['odd', 'odd']);
  expect([null, undefined].map(heatOf)).toEqual([null, null]);
});

test('each step is said in words', () => {
  expect(HEATS.map(heatText)).toEqual([
    'below 1e-8',
    '1e-8 to 1e-6',
    '1e-6 to 1e-4',
    '1e-4 to 0.01',
    '0.01 to 10',
    '10 to 100',
    '100 to 1000',
    '1000 to 1e4',
    '1e4 and more'
  ]);
});

test('equal cells beside each other are one band', () => {
  expect(bandsOf([1, 1, 1e-5, null])).toEqual([
    { from: 0, to: 0.5, heat: 0 },
    { from: 0.5, to: 0.75, heat: -2 },
    { from: 0.75, to: 1, heat: null }
  ]);
  expect(bandsOf([])).toEqual([]);
});

test('of many cells in one band the one that is not finite is seen', () => {
  const norms = Array.from({ length: 1000 }, (_, i) => (i === 777 ? NaN : 1));
  expect(bandsOf(norms, 10).find(band => band.heat === 'odd')).toEqual({
    from: 0.7,
    to: 0.8,
    heat: 'odd'
  });
});
