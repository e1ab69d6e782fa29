import { afterEach, expect, test, vi } from 'vitest';

import { afterScroll, seenPart, whenScrolled } from './seenPart';
import { bringIntoPart, filled } from './viewport';

const screen = { width: 600, height: 400 };

afterEach(() => {
  document.body.innerHTML = '';
  vi.useRealTimers();
});

/** A graph in an area that scrolls, in a window of 768 pixels. */
function page(graph: [number, number], area: [number, number]): [Element, Element] {
  document.body.innerHTML = '<div style="overflow-y: auto"><p><i></i></p></div>';
  const [around, inner] = [document.querySelector('div'), document.querySelector('i')];
  const place = (element: Element | null, [top, bottom]: [number, number]): void => {
    const box = { top, bottom, height: bottom - top, left: 0, right: 600, width: 600 };
    vi.spyOn(element as Element, 'getBoundingClientRect').mockReturnValue(box as DOMRect);
  };
  place(around, area);
  place(inner, graph);
  return [around as Element, inner as Element];
}

test('of an element is seen what neither the window nor an area around it cuts', () => {
  expect(seenPart(page([100, 500], [0, 768])[1])).toEqual({ top: 0, bottom: 400 });
  expect(seenPart(page([400, 800], [90, 700])[1])).toEqual({ top: 0, bottom: 300 });
  expect(seenPart(page([-50, 350], [90, 700])[1])).toEqual({ top: 140, bottom: 400 });
  expect(seenPart(page([600, 1000], [90, 2000])[1])).toEqual({ top: 0, bottom: 168 });
  // Too little to show something in, or nothing: as if all of it were seen.
  expect(seenPart(page([600, 1000], [90, 690])[1])).toEqual({ top: 0, bottom: 400 });
  expect(seenPart(page([2000, 2400], [90, 700])[1])).toEqual({ top: 0, bottom: 400 });
});

test('a box comes into the part that is seen, and stays where it is seen already', () => {
  const view = { x: 0, y: 0, zoom: 1 };
  const part = { top: 0, bottom: 240 };
  expect(bringIntoPart(view, { x: 200, y: 90, width: 50, height: 50 }, screen, part)).toEqual(view);
  const moved = bringIntoPart(view, { x: 200, y: 220, width: 50, height: 50 }, screen, part);
  expect(moved).toEqual({ x: 0, y: 240 - 40 - 270, zoom: 1 });
  const upper = { top: 140, bottom: 400 };
  const down = bringIntoPart(view, { x: 200, y: 130, width: 50, height: 50 }, screen, upper);
  expect(down.y + 130).toBeGreaterThan(140);
});

test('the upper part of a graph is not left empty where the page has hidden it before', () => {
  const whole = { x: 0, y: 0, width: 300, height: 900 };
  const node = { x: 100, y: 60, width: 50, height: 50 };
  // The page hides the upper 200 pixels: the node comes below them, and the graph begins there.
  const hidden = { top: 200, bottom: 400 };
  const view = bringIntoPart({ x: 0, y: -50, zoom: 1 }, node, screen, hidden, whole);
  expect(view.y).toBeGreaterThan(150);
  expect(filled(view, hidden, whole)).toBe(view);
  // Then it is scrolled to show all.
  expect(filled(view, { top: 0, bottom: 400 }, whole)).toEqual({ ...view, y: 12 });
  // One that is seen whole stays.
  const [low, here] = [
    { ...whole, height: 200 },
    { ...view, y: 150 }
  ];
  expect(filled(here, { top: 0, bottom: 400 }, low)).toBe(here);
});

test('each scrolling of the page is told once it rests', () => {
  vi.useFakeTimers();
  const [around, inner] = page([100, 500], [0, 768]);
  const then = vi.fn();
  const end = whenScrolled(inner, then);
  around.dispatchEvent(new Event('scroll'));
  vi.advanceTimersByTime(60);
  around.dispatchEvent(new Event('scroll'));
  vi.advanceTimersByTime(60);
  expect(then).not.toHaveBeenCalled();
  vi.advanceTimersByTime(60);
  expect(then).toHaveBeenCalledTimes(1);
  around.dispatchEvent(new Event('scroll'));
  end();
  vi.advanceTimersByTime(1000);
  expect(then).toHaveBeenCalledTimes(1);
});

test('what the page scrolls by itself is told for a second, until a person scrolls', () => {
  vi.useFakeTimers();
  const [around, inner] = page([100, 500], [0, 768]);
  const then = vi.fn();
  afterScroll(inner, then);
  around.dispatchEvent(new Event('scroll'));
  document.dispatchEvent(new Event('scroll'));
  expect(then).toHaveBeenCalledTimes(2);
  inner.dispatchEvent(new Event('scroll')); // The element itself holds it, too.
  document.body.append(document.createElement('section'));
  document.querySelector('section')?.dispatchEvent(new Event('scroll'));
  expect(then).toHaveBeenCalledTimes(3);
  inner.dispatchEvent(new Event('wheel', { bubbles: true }));
  around.dispatchEvent(new Event('scroll'));
  expect(then).toHaveBeenCalledTimes(3);

  afterScroll(inner, then);
  vi.advanceTimersByTime(1001);
  around.dispatchEvent(new Event('scroll'));
  expect(then).toHaveBeenCalledTimes(3);
  expect(() => afterScroll(null, then)()).not.toThrow();
});
