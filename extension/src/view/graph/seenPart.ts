/** What is seen of an element in a page that scrolls, by a person or by itself. */
import type { Part } from './viewport';

/** In less nothing can be shown: all of the screen is taken for seen. */
const LEAST_PART = 100;

/** What the page around an element, which may be scrolled, lets be seen of it. */
export function seenPart(element: Element): Part {
  const own = element.getBoundingClientRect();
  const page = element.ownerDocument.defaultView;
  let top = Math.max(own.top, 0);
  let bottom = Math.min(own.bottom, page?.innerHeight ?? own.bottom);
  // What overflows the body is cut by the window, whatever its own height.
  const end = element.ownerDocument.body;
  for (let each = element.parentElement; each && each !== end && page; each = each.parentElement) {
    if (page.getComputedStyle(each).overflowY !== 'visible') {
      const room = each.getBoundingClientRect();
      top = Math.max(top, room.top);
      bottom = Math.min(bottom, room.bottom);
    }
  }
  return bottom - top < Math.min(LEAST_PART, own.height)
    ? { top: 0, bottom: own.height }
    : { top: top - own.top, bottom: bottom - own.top };
}

/** Milliseconds without scrolling, after which the page is taken to rest. */
const REST = 100;

/** Calls `then` each time the page around an element was scrolled, and rests. Gives what ends that. */
export function whenScrolled(element: Element | null, then: () => void): () => void {
  const page = element?.ownerDocument.defaultView;
  if (!page) {
    return () => undefined;
  }
  const hears = { capture: true, passive: true };
  let later: number | undefined;
  const scrolls = ({ target }: Event): void => {
    if (target instanceof page.Node && target.contains(element)) {
      page.clearTimeout(later);
      later = page.setTimeout(then, REST);
    }
  };
  page.addEventListener('scroll', scrolls, hears);
  return () => {
    page.clearTimeout(later);
    page.removeEventListener('scroll', scrolls, hears);
  };
}

/** Milliseconds in which a page is scrolled for a step. */
const FOR_A_STEP = 1000;

/** Calls `then` when the page around an element scrolls by itself soon; not any more once a person does it. */
export function afterScroll(element: Element | null, then: () => void): () => void {
  const page = element?.ownerDocument.defaultView;
  if (!page) {
    return () => undefined;
  }
  const hears = { capture: true, passive: true };
  const scrolls = ({ target }: Event): void => {
    if (target instanceof page.Node && target.contains(element)) {
      then();
    }
  };
  const end = (): void => {
    page.clearTimeout(later);
    page.removeEventListener('scroll', scrolls, hears);
    page.removeEventListener('wheel', end, hears);
    page.removeEventListener('touchmove', end, hears);
  };
  const later = page.setTimeout(end, FOR_A_STEP);
  page.addEventListener('scroll', scrolls, hears);
  page.addEventListener('wheel', end, hears);
  page.addEventListener('touchmove', end, hears);
  return end;
}
