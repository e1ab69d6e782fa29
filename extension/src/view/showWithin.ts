/** Scrolls an element, and nothing around it, until the first in it that matches is seen. */
export function showWithin(scroller: HTMLElement, selector: string): void {
  const found = scroller.querySelector(selector)?.getBoundingClientRect();
  if (!found) {
    return;
  }
  const room = scroller.getBoundingClientRect();
  const past = (first: number, last: number, begin: number, end: number): number =>
    first < begin ? first - begin : Math.max(0, Math.min(last - end, first - begin));
  scroller.scrollTop += past(found.top - AIR, found.bottom + AIR, room.top, room.bottom);
  scroller.scrollLeft += past(found.left - AIR, found.right + AIR, room.left, room.right);
}

const AIR = 8;
