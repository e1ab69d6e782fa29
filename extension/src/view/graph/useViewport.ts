/**
 * Pan and zoom by mouse, wheel and fingers. Moves the world without drawing it again, as long as what comes into
 * sight is there; how much of each box is drawn follows when the move is over.
 */
import type { RefObject } from 'preact';
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';

import { nextFrame, Observable } from '../../store';
import { contains, padded } from './geometry';
import type { Box, Point, Size } from './geometry';
import { detailAt, scaleAt, scrolled, seen, typeAt, zoomAt } from './viewport';
import type { Detail, View } from './viewport';

export interface Viewport {
  readonly screen: Size;
  readonly view: Observable<View>;
  /** What to draw: somewhat more than is seen, so that panning a little draws nothing new. */
  readonly drawn: Box;
  readonly detail: Detail;
  /** About how many pixels of the picture are one on the screen. */
  readonly scale: number;
  /** How large the smallest type is to be, in pixels of the picture. */
  readonly type: number;
  /** Whether the last press was a drag, so that its click selects nothing. */
  readonly dragged: { current: boolean };
}

const DRAG_PX = 4;
/** A finger that taps moves more than a mouse that clicks. */
const TOUCH_PX = 10;
/** Milliseconds without a move after which it is drawn as it suits the zoom. */
const SETTLED = 100;

export function useViewport(
  svg: RefObject<SVGSVGElement>,
  world: RefObject<SVGGElement>,
  screen: Size,
  /** What there is to scroll over. */
  whole: Box
): Viewport {
  const view = useMemo(() => new Observable<View>({ x: 0, y: 0, zoom: 1 }, nextFrame), []);
  const size = useRef(screen);
  size.current = screen;
  const extent = useRef(whole);
  extent.current = whole;
  const [drawn, setDrawn] = useState<Box>({ x: 0, y: 0, width: 0, height: 0 });
  const [detail, setDetail] = useState<Detail>('full');
  const [scale, setScale] = useState(1);
  const [type, setType] = useState(() => typeAt(1));
  const dragged = useRef(false);

  const settling = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const settle = useCallback(() => {
    const { zoom } = view.value;
    const now = seen(view.value, size.current);
    clearTimeout(settling.current);
    setDetail(detailAt(zoom));
    setScale(scaleAt(zoom));
    setType(typeAt(zoom));
    setDrawn(old =>
      contains(old, now) && old.width < 4 * now.width ? old : padded(now, now.width / 2)
    );
  }, [view]);

  const covered = useRef(drawn);
  covered.current = drawn;
  const show = useCallback(() => {
    const { x, y, zoom } = view.value;
    world.current?.setAttribute('transform', `translate(${x},${y}) scale(${zoom})`);
    clearTimeout(settling.current);
    if (contains(covered.current, seen(view.value, size.current))) {
      settling.current = setTimeout(settle, SETTLED);
    } else {
      settle(); // Something would be missing.
    }
  }, [view, world, settle]);
  useEffect(() => () => clearTimeout(settling.current), []);

  useEffect(() => view.subscribe(show), [view, show]);
  useLayoutEffect(show, [show, screen.width, screen.height]);

  useEffect(() => {
    const element = svg.current;
    if (!element) {
      return undefined;
    }
    /** Mouse or fingers that are down, where they were last. */
    const held = new Map<number, Point>();
    const down = (event: PointerEvent): void => {
      if (held.size === 0) {
        dragged.current = false;
      }
      if ((event.button === 0 || event.button === 1) && held.size < 2) {
        held.set(event.pointerId, { x: event.clientX, y: event.clientY });
      }
    };
    const move = (event: PointerEvent): void => {
      const from = held.get(event.pointerId);
      if (!from) {
        return;
      }
      const to = { x: event.clientX, y: event.clientY };
      const far = event.pointerType === 'touch' ? TOUCH_PX : DRAG_PX;
      if (!dragged.current && held.size === 1 && apart(from, to) < far) {
        return;
      }
      if (!dragged.current) {
        dragged.current = true;
        held.forEach((_, pointer) => element.setPointerCapture(pointer));
        element.classList.add('vg-dragging');
      }
      const [other] = [...held].flatMap(([id, at]) => (id === event.pointerId ? [] : [at]));
      held.set(event.pointerId, to);
      if (other) {
        // Two fingers: what was between them stays between them.
        const { left, top } = element.getBoundingClientRect();
        const [before, now] = [middle(from, other), middle(to, other)];
        const factor = apart(to, other) / Math.max(apart(from, other), 1);
        const { x, y, zoom } = view.value;
        const moved = { x: x + now.x - before.x, y: y + now.y - before.y, zoom };
        view.value = zoomAt(moved, { x: now.x - left, y: now.y - top }, factor);
      } else {
        view.patch({ x: view.value.x + to.x - from.x, y: view.value.y + to.y - from.y });
      }
    };
    const up = (event: PointerEvent): void => {
      held.delete(event.pointerId);
      if (held.size === 0) {
        element.classList.remove('vg-dragging');
      }
    };
    const wheel = (event: WheelEvent): void => {
      // A wheel over a widget must go on scrolling the notebook, until a person has clicked into
      // the graph: then it scrolls that, to its end. With Ctrl (which a pinch on a touchpad sends,
      // too) it always zooms.
      const active = element.contains(element.ownerDocument.activeElement);
      const zooms = event.ctrlKey || event.metaKey;
      if (!zooms && !active) {
        return;
      }
      const lines = event.deltaMode === 1 ? 30 : 1;
      if (!zooms) {
        const [dx, dy] = event.shiftKey ? [event.deltaY, 0] : [event.deltaX, event.deltaY];
        const next = scrolled(view.value, dx * lines, dy * lines, extent.current, size.current);
        if (next.x !== view.value.x || next.y !== view.value.y) {
          event.preventDefault();
          view.value = next;
        }
        return;
      }
      event.preventDefault();
      const { left, top } = element.getBoundingClientRect();
      const speed = event.ctrlKey && Math.abs(event.deltaY) < 40 ? 0.01 : 0.0016;
      const factor = Math.exp(-event.deltaY * lines * speed);
      view.value = zoomAt(view.value, { x: event.clientX - left, y: event.clientY - top }, factor);
    };
    // A quick hand is out of the graph with its first move, and may let go there.
    const page = element.ownerDocument;
    element.addEventListener('pointerdown', down);
    page.addEventListener('pointermove', move);
    page.addEventListener('pointerup', up);
    page.addEventListener('pointercancel', up);
    element.addEventListener('wheel', wheel, { passive: false });
    return () => {
      element.removeEventListener('pointerdown', down);
      page.removeEventListener('pointermove', move);
      page.removeEventListener('pointerup', up);
      page.removeEventListener('pointercancel', up);
      element.removeEventListener('wheel', wheel);
    };
  }, [svg, view]);

  return { view, screen, drawn, detail, scale, type, dragged };
}

function apart(a: Point, b: Point): number {
  return Math.hypot(a.x - b.x, a.y - b.y);
}

function middle(a: Point, b: Point): Point {
  return { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 };
}
