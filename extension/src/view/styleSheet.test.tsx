import { expect, test, vi } from 'vitest';

import { putStyle } from './styleSheet';

vi.mock('./style', () => ({ style: '.vg-root { color: red }' }));

const sheets = (place: ParentNode): number => place.querySelectorAll('style').length;

test('a page has one style sheet, however many views, and each shadow tree one', () => {
  const views = [0, 1, 2].map(() => document.createElement('div'));
  document.body.append(...views);
  expect(views.map(putStyle)).toEqual([true, true, true]);
  expect(sheets(document)).toBe(1);
  const shadow = document.createElement('div');
  document.body.append(shadow);
  const root = shadow.attachShadow({ mode: 'open' });
  const within = document.createElement('div');
  root.append(within);
  expect([putStyle(within), putStyle(within)]).toEqual([true, true]);
  expect([sheets(root), sheets(document)]).toEqual([1, 1]);
});

test('a view that is in no page yet brings the style sheet itself', () => {
  expect(putStyle(document.createElement('div'))).toBe(false);
});
