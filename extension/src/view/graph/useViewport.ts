/**
 * Pan and zoom by mouse and wheel. Moves the world without drawing it again, as long as what comes into
 * sight is there; how much of each box is drawn follows when the move is over.
 */
import type { RefObject } from 'preact';
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';

import { nextFrame, Observable } from '../../store';
import { contains, padded } from './geometry';
import type { Box, Size } from './geometry';
import { detailAt, scaleAt, seen, zoomAt } from './viewport';
import type { Detail, View } from './viewport';

export interface Viewport {
  readonly view: Observable<View>;
  /** What to draw: somewhat more than is seen, so that panning a little draws nothing new. */
  readonly drawn: Box;
  readonly detail: Detail;
  /** About how many pixels of the picture are one on the screen. */
  readonly scale: number;
  /** Whether the last press was a drag, so that its click selects nothing. */
  readonly dragged: { current: boolean };
}

const DRAG_PX = 4;
/** Milliseconds without a move after which it is drawn as it suits the zoom. */
const SETTLED = 100;

export function useViewport(
  svg: RefObject<SVGSVGElement>,
  world: RefObject<SVGGElement>,
  screen: Size
): Viewport {
  const view = useMemo(() => new Observable<View>({ x: 0, y: 0, zoom: 1 }, nextFrame), []);
  const size = useRef(screen);
  size.current = screen;
  const [drawn, setDrawn] = useState<Box>({ x: 0, y: 0, width: 0, height: 0 });
  const [detail, setDetail] = useState<Detail>('full');
  const [scale, setScale] = useState(1);
  const dragged = useRef(false);

  const settling = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const settle = useCallback(() => {
    const { zoom } = view.value;
    const now = seen(view.value, size.current);
    clearTimeout(settling.current);
    setDetail(detailAt(zoom));
    setScale(scaleAt(zoom));
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
    let from: { x: number; y: number; id: number } | null = null;
    const down = (event: PointerEvent): void => {
      dragged.current = false;
      if (event.button === 0 || event.button === 1) {
        from = { x: event.clientX, y: event.clientY, id: event.pointerId };
      }
    };
    const move = (event: PointerEvent): void => {
      if (from?.id !== event.pointerId) {
        return;
      }
      const dx = event.clientX - from.x;
      const dy = event.clientY - from.y;
      if (!dragged.current && Math.hypot(dx, dy) < DRAG_PX) {
        return;
      }
      if (!dragged.current) {
        dragged.current = true;
        element.setPointerCapture(event.pointerId);
        element.classList.add('vg-dragging');
      }
      from = { ...from, x: event.clientX, y: event.clientY };
      view.patch({ x: view.value.x + dx, y: view.value.y + dy });
    };
    const up = (): void => {
      from = null;
      element.classList.remove('vg-dragging');
    };
    const wheel = (event: WheelEvent): void => {
      // A wheel over a widget must go on scrolling the notebook, until a person has clicked into
      // the graph; with Ctrl (which a pinch on a touchpad sends, too) it always zooms.
      const active = element.contains(element.ownerDocument.activeElement);
      if (!event.ctrlKey && !event.metaKey && !active) {
        return;
      }
      event.preventDefault();
      const { left, top } = element.getBoundingClientRect();
      const lines = event.deltaMode === 1 ? 30 : 1;
      const speed = event.ctrlKey && Math.abs(event.deltaY) < 40 ? 0.01 : 0.0016;
      const factor = Math.exp(-event.deltaY * lines * speed);
      view.value = zoomAt(view.value, { x: event.clientX - left, y: event.clientY - top }, factor);
    };
    element.addEventListener('pointerdown', down);
    element.addEventListener('pointermove', move);
    element.addEventListener('pointerup', up);
    element.addEventListener('pointercancel', up);
    element.addEventListener('wheel', wheel, { passive: false });
    return () => {
      element.removeEventListener('pointerdown', down);
      element.removeEventListener('pointermove', move);
      element.removeEventListener('pointerup', up);
      element.removeEventListener('pointercancel', up);
      element.removeEventListener('wheel', wheel);
    };
  }, [svg, view]);

  return { view, drawn, detail, scale, dragged };
}
