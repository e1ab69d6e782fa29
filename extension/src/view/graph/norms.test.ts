import { expect, test } from 'vitest';

import { curveLine, trendBrief, trendOf, trendText } from './norms';

test('cells stand side by side, powers of ten above each other', () => {
  expect(curveLine([1, 0.1, 0.01], 30, 20).line).toBe('M5,0L15,10L25,20');
});

test('a curve that is flat is drawn flat', () => {
  expect(curveLine([1, 1.01, 0.99], 30, 20).line).toMatch(/^M5,10L15,(9\.9|10)L25,(10|10\.1)$/);
});

test('what is undefined is a gap; a lone cell is a dot', () => {
  const { line, dots } = curveLine([1, 1, null, 1], 40, 20);
  expect(line).toBe('M5,10L15,10');
  expect(dots).toBe('M35,10h0');
});

test('zero lies at the bottom, what is not finite goes from top to bottom', () => {
  const { zeros, odd } = curveLine([1, 0, NaN, Infinity], 40, 20);
  expect(zeros).toBe('M15,20h0');
  expect(odd).toBe('M25,0V20M35,0V20');
});

test('ten thousand cells give no more points than there is room for, and no spike is lost', () => {
  const norms = Array.from({ length: 10_000 }, (_, i) => (i === 4321 ? 1e6 : 1));
  const { line } = curveLine(norms, 100, 20);
  expect(line.split('L').length).toBeLessThan(500);
  expect(line).toContain(',0L');
});

test('says how it falls or grows', () => {
  expect(trendBrief(trendOf([0.8, 0.1, 0.0012307]))).toBe('falls 650×');
  expect(trendBrief(trendOf([1e-3, 30]))).toBe('grows 30000×');
  expect(trendBrief(trendOf([1, 0.5]))).toBe('');
  expect(trendBrief(trendOf([1, 0]))).toBe('falls to 0');
  expect(trendBrief(trendOf([1, NaN, 0.001]))).toBe('1 not finite');
  expect(trendBrief(trendOf([null, null]))).toBe('');
});

test('tells all of it in words', () => {
  expect(trendText([1, null], 300)).toContain('the run, 1 of 2 stretches of 300 cells: 1');
  expect(trendText([0.8, null, 0.0012307], 3)).toBe(
    'gradient norms in the order of the run, 2 of 3 cells: 0.8 in the first to run, 0.00123 in the ' +
      'last: falls 650 times; smallest 0.00123, largest 0.8'
  );
  expect(trendText([null, null], 2)).toBe('gradient norms of 2 cells: none yet');
  expect(trendText([0, null], 2)).toBe(
    'gradient norms in the order of the run, 1 of 2 cells: 0; smallest 0, largest 0; 1 zero'
  );
});
