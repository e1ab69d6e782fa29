import { expect, test } from 'vitest';

import {
  bringIntoView,
  detailAt,
  enlarged,
  firstLook,
  fitBox,
  fromLeft,
  LEAST_TYPE,
  resized,
  scaleAt,
  scrolled,
  seen,
  typeAt,
  zoomAt
} from './viewport';

const screen = { width: 600, height: 400 };

test('fitting shows the whole box, and does not blow up a small one', () => {
  const view = fitBox({ x: 0, y: 0, width: 3000, height: 1000 }, screen);
  const { x, y, width, height } = seen(view, screen);
  expect(x).toBeLessThan(0);
  expect(y).toBeLessThan(0);
  expect(x + width).toBeGreaterThan(3000);
  expect(y + height).toBeGreaterThan(1000);
  expect(fitBox({ x: 0, y: 0, width: 10, height: 10 }, screen).zoom).toBe(1.15);
});

test('a first look at a long graph starts at its beginning, readable', () => {
  const whole = { x: 0, y: 0, width: 300, height: 20_000 };
  const anchor = { x: 100, y: 0, width: 100, height: 40 };
  const view = firstLook(whole, anchor, screen);
  expect(view.zoom).toBeGreaterThanOrEqual(0.76);
  const box = seen(view, screen);
  expect(box.y).toBeLessThan(0);
  expect(box.y + box.height).toBeGreaterThan(40);
});

test('what was set to be seen whole is readable from afar, too, and what a person sees grows alike', () => {
  const far = { x: 0, y: 0, zoom: 0.5 };
  expect(enlarged(far, screen, 1.4, false).zoom).toBeCloseTo(0.7);
  expect(enlarged(far, screen, 1.4, true).zoom).toBeCloseTo(1.4 * 0.76);
  expect(enlarged({ ...far, zoom: 1 }, screen, 1.4, true).zoom).toBeCloseTo(1.4);
  expect(enlarged({ ...far, zoom: 1 }, screen, 1 / 1.4, false).zoom).toBeCloseTo(1 / 1.4);
});

test('to teach, a first look has larger type', () => {
  const anchor = { x: 100, y: 0, width: 100, height: 40 };
  for (const whole of [
    { x: 0, y: 0, width: 300, height: 20_000 },
    { x: 0, y: 0, width: 700, height: 600 },
    { x: 0, y: 0, width: 20, height: 20 }
  ]) {
    const larger = firstLook(whole, anchor, screen, 1.4).zoom;
    expect(larger).toBeGreaterThanOrEqual(1.4 * 0.76);
    expect(larger).toBeGreaterThan(firstLook(whole, anchor, screen).zoom);
  }
});

test('a graph that fits readably is shown whole, one that does not in its whole width', () => {
  const anchor = { x: 100, y: 0, width: 100, height: 40 };
  const some = { x: 0, y: 0, width: 500, height: 480 };
  const all = seen(firstLook(some, anchor, screen), screen);
  expect(all.y).toBeLessThan(0);
  expect(all.y + all.height).toBeGreaterThan(480);
  const long = { x: 0, y: 0, width: 700, height: 4000 };
  const top = seen(firstLook(long, anchor, screen), screen);
  expect(top.x).toBeLessThan(0);
  expect(top.x + top.width).toBeGreaterThan(700);
  expect(top.y).toBeLessThan(0);
});

test('a first look is never too small to be read; what fits into two screens is one scroll away', () => {
  const anchor = { x: 900, y: 0, width: 100, height: 40 };
  const wide = firstLook({ x: 0, y: 0, width: 5000, height: 5000 }, anchor, screen);
  expect(wide.zoom * 14.5).toBeGreaterThanOrEqual(LEAST_TYPE);
  const view = seen(wide, screen);
  expect(view.x).toBeLessThan(900);
  expect(view.x + view.width).toBeGreaterThan(1000);
  const two = { x: 0, y: 0, width: 300, height: 950 };
  expect((950 + 24) * firstLook(two, anchor, screen).zoom).toBeLessThanOrEqual(800 + 1e-9);
});

test('what is wider than the screen starts at its left, if its results are there, and ends at its edge', () => {
  const wide = { x: 0, y: 0, width: 1200, height: 900 };
  const near = firstLook(wide, { x: 350, y: 0, width: 100, height: 40 }, screen);
  expect(near.x).toBe(12);
  const last = seen(firstLook(wide, { x: 1000, y: 0, width: 100, height: 40 }, screen), screen);
  expect(last.x + last.width).toBeCloseTo(1200 + 12 / 0.76);
  const middle = seen(firstLook(wide, { x: 750, y: 0, width: 60, height: 40 }, screen), screen);
  expect(middle.x + middle.width / 2).toBeCloseTo(780);
});

test('a wheel scrolls to the ends of the picture and not beyond', () => {
  const whole = { x: 0, y: 0, width: 500, height: 1000 };
  const view = { x: 50, y: 12, zoom: 1 };
  expect(scrolled(view, 0, 100, whole, screen)).toEqual({ x: 50, y: -88, zoom: 1 });
  expect(scrolled(view, 0, 5000, whole, screen).y).toBe(400 - 12 - 1000);
  expect(scrolled(view, 0, -100, whole, screen)).toEqual(view);
  const beyond = { x: 50, y: 300, zoom: 1 };
  expect(scrolled(beyond, 0, -10, whole, screen)).toEqual(beyond);
  expect(scrolled(beyond, 0, 10, whole, screen).y).toBe(290);
});

test('type is never smaller than is read, and seldom larger than needed', () => {
  for (let zoom = 0.05; zoom < 2; zoom *= 1.03) {
    const size = typeAt(zoom) * zoom;
    expect(size).toBeGreaterThanOrEqual(LEAST_TYPE - 0.01);
    expect(size).toBeLessThan(zoom < 1 ? LEAST_TYPE * 1.05 : LEAST_TYPE * zoom + 0.01);
  }
});

test('zooming keeps the point under the mouse', () => {
  const view = { x: 13, y: -7, zoom: 0.8 };
  const at = { x: 200, y: 90 };
  const next = zoomAt(view, at, 1.7);
  expect((at.x - next.x) / next.zoom).toBeCloseTo((at.x - view.x) / view.zoom);
  expect((at.y - next.y) / next.zoom).toBeCloseTo((at.y - view.y) / view.zoom);
});

test('what is on the screen is left where it is, at its edge it comes just into it', () => {
  const view = { x: 0, y: 0, zoom: 1 };
  expect(bringIntoView(view, { x: 200, y: 200, width: 50, height: 50 }, screen)).toBe(view);
  const moved = bringIntoView(view, { x: 200, y: 390, width: 50, height: 50 }, screen);
  expect(moved.x).toBe(0);
  expect(390 + 50 + moved.y).toBeLessThanOrEqual(400);
  expect(390 + moved.y).toBeGreaterThan(250);
});

test('what is far from the screen comes to its middle; along a way it is there already, it stays', () => {
  const view = { x: 0, y: 0, zoom: 1 };
  const below = { x: 250, y: 900, width: 20, height: 50 };
  expect(bringIntoView(view, below, screen)).toEqual({ x: 0, y: 200 - 925, zoom: 1 });
  const beside = { x: 500, y: 900, width: 20, height: 50 };
  expect(bringIntoView(view, beside, screen)).toEqual({ x: 300 - 510, y: 200 - 925, zoom: 1 });
});

test('what comes into sight leaves nothing empty beside a wide picture, and cuts no narrow one', () => {
  const view = { x: -600, y: 0, zoom: 1 };
  const whole = { x: 0, y: 0, width: 1300, height: 2000 };
  const first = { x: 20, y: 900, width: 50, height: 50 };
  expect(bringIntoView(view, first, screen, whole).x).toBe(12);
  expect(bringIntoView(view, first, screen).x).toBe(300 - 45);
  const last = { x: 1250, y: 900, width: 40, height: 50 };
  expect(bringIntoView({ ...view, x: 0 }, last, screen, whole).x).toBe(600 - 12 - 1300);
  const narrow = { ...whole, width: 500 };
  expect(bringIntoView(view, first, screen, narrow).x).toBe(600 - 12 - 500);
});

test('where a lane takes room, the left edge stays in sight; else the middle', () => {
  const whole = { x: 0, y: 0, width: 1300, height: 2000 };
  const less = { width: 500, height: 400 };
  expect(resized({ x: 12, y: 5, zoom: 1 }, screen, less, whole)).toEqual({ x: 12, y: 5, zoom: 1 });
  expect(resized({ x: -300, y: 5, zoom: 1 }, screen, less, whole).x).toBe(-350);
  const narrow = { ...whole, width: 300 };
  expect(resized({ x: 150, y: 5, zoom: 1 }, screen, less, narrow).x).toBe(100);
});

test('less is drawn from further away', () => {
  expect([1, 0.4, 0.1].map(detailAt)).toEqual(['full', 'name', 'shape']);
});

test('the scale of the screen changes in steps, and is never far off', () => {
  expect([1, 1.1, 0.5, 0.05].map(scaleAt)).toEqual([1, 1, 2, 2 ** 4.5]);
  for (let zoom = 0.01; zoom < 2.5; zoom *= 1.07) {
    expect(Math.abs(Math.log2(scaleAt(zoom) * zoom))).toBeLessThan(0.26);
  }
});

test('the last box of a long picture leaves no half of the screen empty', () => {
  const whole = { x: 0, y: 0, width: 300, height: 3000 };
  const last = { x: 100, y: 2900, width: 100, height: 60 };
  const view = bringIntoView({ x: 0, y: 0, zoom: 1 }, last, screen, whole);
  const { y, height } = seen(view, screen);
  expect(y + height).toBeGreaterThan(2960);
  expect(y + height).toBeLessThan(3030);
});

test('of a picture that is too wide only the right side is cut, if what is looked at is on the left', () => {
  const whole = { x: 0, y: 0, width: 3000, height: 300 };
  const view = { x: -200, y: -50, zoom: 1 };
  const left = { x: 300, y: 100, width: 100, height: 50 };
  expect(fromLeft(view, left, whole, screen)).toEqual({ x: 12, y: -50, zoom: 1 });
  expect(fromLeft(view, { ...left, x: 900 }, whole, screen)).toBe(view);
  expect(fromLeft(view, left, { ...whole, width: 500 }, screen)).toBe(view);
});
