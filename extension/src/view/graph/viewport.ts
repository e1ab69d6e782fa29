/** Pan and zoom: which part of the picture is on the screen. */
import { centre, padded, touches } from './geometry';
import type { Box, Point, Size } from './geometry';

/** A picture point p is drawn at `p * zoom + (x, y)`. */
export interface View {
  readonly x: number;
  readonly y: number;
  readonly zoom: number;
}

export const MIN_ZOOM = 0.01;
export const MAX_ZOOM = 2.5;
/** Type is not drawn smaller than this, in pixels of the screen: boxes show less instead. */
export const LEAST_TYPE = 11;
/** A first look goes no further: names still have their room in type of that size. */
export const READABLE_ZOOM = 0.76;
const FULL_ZOOM = 0.72;
const NAME_ZOOM = 0.27;
const MARGIN = 12;
/** What is small is drawn no larger than this, to fit. */
export const FIT_ZOOM = 1.15;
/** A graph that is at most so many screens high is looked at with so much of it on each. */
const SCREENS = 2;

export function fitBox(box: Box, screen: Size, most = FIT_ZOOM): View {
  const { width, height } = padded(box, MARGIN);
  const zoom = clamp(Math.min(screen.width / width, screen.height / height, most));
  const { x, y } = centre(box);
  return { x: screen.width / 2 - x * zoom, y: screen.height / 2 - y * zoom, zoom };
}

/**
 * The first look: everything if that is readable; what is one scroll away if it then is; else as much as is
 * readable, in its whole width. What is wider all the same is shown from its left, or, if `anchor` is not there,
 * around that, to the edge of the picture and not beyond. `larger`: than type has to be to be read at a desk.
 */
export function firstLook(whole: Box, anchor: Box | undefined, screen: Size, larger = 1): View {
  const all = fitBox(whole, screen, FIT_ZOOM * larger);
  const readable = READABLE_ZOOM * larger;
  if (all.zoom >= readable || !anchor) {
    return all;
  }
  const { width, height } = padded(whole, MARGIN);
  const byWidth = screen.width / width;
  const byHeight = (SCREENS * screen.height) / height;
  const wanted = byHeight >= readable ? Math.min(byWidth, byHeight) : byWidth;
  const zoom = clamp(Math.min(Math.max(wanted, readable), FIT_ZOOM * larger));
  const y = MARGIN - Math.min(whole.y, anchor.y) * zoom;
  if (byWidth >= zoom) {
    return { x: screen.width / 2 - centre(whole).x * zoom, y, zoom };
  }
  const left = MARGIN - whole.x * zoom;
  const isThere = (anchor.x + anchor.width) * zoom + left <= screen.width - MARGIN;
  const x = isThere ? left : screen.width / 2 - centre(anchor).x * zoom;
  return { x: beside({ x, y, zoom }, whole, screen), y, zoom };
}

/** Within what can be scrolled to: the picture with a margin, or a place where it is on the screen whole. */
export function scrolled(view: View, dx: number, dy: number, whole: Box, screen: Size): View {
  const along = (at: number, by: number, start: number, length: number, room: number): number => {
    const first = MARGIN - start * view.zoom;
    const last = room - MARGIN - (start + length) * view.zoom;
    const low = Math.min(first, last, at);
    const high = Math.max(first, last, at);
    return Math.min(Math.max(at - by, low), high);
  };
  return {
    ...view,
    x: along(view.x, dx, whole.x, whole.width, screen.width),
    y: along(view.y, dy, whole.y, whole.height, screen.height)
  };
}

export function zoomAt(view: View, at: Point, factor: number): View {
  const zoom = clamp(view.zoom * factor);
  const scale = zoom / view.zoom;
  return { x: at.x - (at.x - view.x) * scale, y: at.y - (at.y - view.y) * scale, zoom };
}

/** Around the middle of the screen, `factor` times as large; `readable`: so much that it can be read, at `factor` of a desk. */
export function enlarged(view: View, screen: Size, factor: number, readable: boolean): View {
  const least = readable ? (READABLE_ZOOM * factor) / view.zoom : 0;
  const middle = { x: screen.width / 2, y: screen.height / 2 };
  return zoomAt(view, middle, Math.max(factor, least));
}

/** The part of the picture on a screen of this size. */
export function seen(view: View, screen: Size): Box {
  return {
    x: -view.x / view.zoom,
    y: -view.y / view.zoom,
    width: screen.width / view.zoom,
    height: screen.height / view.zoom
  };
}

/**
 * Move as little as needed for `box` to be comfortably inside the screen. One that was wholly outside
 * comes to the middle third: after a jump, what is around it matters on all sides, as far as the picture goes.
 */
export function bringIntoView(view: View, box: Box, screen: Size, whole?: Box): View {
  const jump = !touches(box, seen(view, screen));
  const margin = Math.min(56, screen.width / 6, screen.height / 6);
  const left = box.x * view.zoom + view.x;
  const top = box.y * view.zoom + view.y;
  const correct = jump ? centred : correction;
  const dx = correct(left, left + box.width * view.zoom, screen.width, margin);
  const dy = correct(top, top + box.height * view.zoom, screen.height, margin);
  if (dx === 0 && dy === 0) {
    return view;
  }
  const moved = { ...view, x: view.x + dx, y: view.y + dy };
  return whole
    ? {
        ...moved,
        x: dx === 0 ? moved.x : beside(moved, whole, screen),
        y: dy === 0 ? moved.y : below(moved, whole, screen)
      }
    : moved;
}

/** The same in a part of the screen, where a page that scrolls hides the rest. */
export function bringIntoPart(view: View, box: Box, screen: Size, part: Part, whole?: Box): View {
  const { top, bottom } = part;
  const there = { width: screen.width, height: bottom - top };
  const moved = bringIntoView({ ...view, y: view.y - top }, box, there, whole);
  return { ...moved, y: moved.y + top };
}

/** Nothing is left empty above or below a picture that is cut on the other side, in the part that is seen. */
export function filled(view: View, { top, bottom }: Part, whole: Box): View {
  const y = below({ ...view, y: view.y - top }, whole, { width: 0, height: bottom - top }) + top;
  return y === view.y ? view : { ...view, y };
}

/** From top to bottom, in pixels of the screen. */
export interface Part {
  readonly top: number;
  readonly bottom: number;
}

/**
 * On a screen of another size: what was in its middle stays there, but what was seen from its left edge, and is wider
 * than the screen, still is.
 */
export function resized(view: View, from: Size, screen: Size, whole: Box): View {
  const x = view.x + (screen.width - from.width) / 2;
  const y = view.y + Math.min(0, (screen.height - from.height) / 2);
  const left = MARGIN - whole.x * view.zoom;
  const wide = whole.width * view.zoom + 2 * MARGIN > screen.width;
  return { ...view, x: wide && view.x >= left - 1 ? left : x, y };
}

/** The same height, from the left edge of the picture, if `box` is seen there, too: then only its right side is cut. */
export function fromLeft(view: View, box: Box | undefined, whole: Box, screen: Size): View {
  const x = MARGIN - whole.x * view.zoom;
  const isWide = whole.width * view.zoom + 2 * MARGIN > screen.width;
  const end = box ? (box.x + box.width) * view.zoom + x : Infinity;
  return isWide && end <= screen.width - MARGIN ? { ...view, x } : view;
}

/** Where no side of a picture is cut that has room, and none has room beside one that is cut. */
function beside({ x, zoom }: View, { x: left, width }: Box, screen: Size): number {
  return within(x, left * zoom, (left + width) * zoom, screen.width);
}

/** The same from top to bottom: the last node does not leave half of the screen empty. */
function below({ y, zoom }: View, { y: top, height }: Box, screen: Size): number {
  return within(y, top * zoom, (top + height) * zoom, screen.height);
}

function within(at: number, start: number, end: number, room: number): number {
  const first = MARGIN - start;
  const last = room - MARGIN - end;
  return Math.min(Math.max(at, Math.min(first, last)), Math.max(first, last));
}

function correction(start: number, end: number, length: number, margin: number): number {
  if (end - start > length - 2 * margin) {
    return length / 2 - (start + end) / 2;
  }
  return start < margin ? margin - start : end > length - margin ? length - margin - end : 0;
}

function centred(start: number, end: number, length: number): number {
  const outside = start < length / 3 || end > (2 * length) / 3;
  return outside ? length / 2 - (start + end) / 2 : 0;
}

function clamp(zoom: number): number {
  return Math.min(Math.max(zoom, MIN_ZOOM), MAX_ZOOM);
}

/** How much of a box is worth drawing at this zoom: all of it, its name, or that it is there. */
export type Detail = 'full' | 'name' | 'shape';

export function detailAt(zoom: number): Detail {
  return zoom >= FULL_ZOOM ? 'full' : zoom >= NAME_ZOOM ? 'name' : 'shape';
}

/**
 * Pixels of the picture that are least type on the screen, in steps: never less than is read, seldom more.
 */
export function typeAt(zoom: number): number {
  const steps = Math.max(0, Math.ceil(Math.log(1 / zoom) / Math.log(TYPE_STEP) - 1e-6));
  return Math.round(LEAST_TYPE * TYPE_STEP ** steps * 100) / 100;
}

const TYPE_STEP = 1.04;

/**
 * Pixels of the picture that are one on the screen, in steps: what is drawn as large as on the screen
 * is drawn again only when that makes a difference.
 */
export function scaleAt(zoom: number): number {
  return 2 ** (Math.round(-2 * Math.log2(zoom)) / 2);
}
