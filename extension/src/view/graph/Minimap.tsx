/**
 * The whole picture in a corner: where one is, and where the run is. Click or drag to go there. It covers nothing that
 * stands still: it goes to a corner that is free, and where none is it is seen only while a person looks around.
 */
import type { JSX, TargetedPointerEvent } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';

import { NODE_STATES } from '../../protocol';
import type { Observable, SessionState } from '../../store';
import { touches } from './geometry';
import type { Box, Point, Size } from './geometry';
import { framesPath, statePaths } from './minimapPaths';
import type { Picture } from './picture';
import type { BoxAt } from './useGrown';
import { seen } from './viewport';
import type { View } from './viewport';

/** Smaller pictures are overlooked without one. */
export const MINIMAP_FROM = 60;
const WIDTH = 140;
const HEIGHT = 120;
const LEAST = 40;

/** Milliseconds for which it is still seen. */
const LINGER = 1500;
const INSET = 6;

export type Corner = 'right' | 'left' | 'top';

/** The corner in which a map of this size covers no box, as they are drawn; null: none. The one that it is in is left for a better one only. */
export function freeCorner(
  boxes: readonly Box[],
  view: View,
  screen: Size,
  map: Size,
  now: Corner
): Corner | null {
  const x = { left: INSET, right: screen.width - map.width - INSET };
  const y = { top: INSET, bottom: screen.height - map.height - INSET };
  const places: Record<Corner, Point> = {
    right: { x: x.right, y: y.bottom },
    left: { x: x.left, y: y.bottom },
    top: { x: x.right, y: y.top }
  };
  const isFree = (corner: Corner): boolean => {
    const place = places[corner];
    const own = {
      x: (place.x - view.x) / view.zoom,
      y: (place.y - view.y) / view.zoom,
      width: map.width / view.zoom,
      height: map.height / view.zoom
    };
    return !boxes.some(box => touches(box, own));
  };
  return ([now, 'right', 'left', 'top'] as const).find(isFree) ?? null;
}

interface MinimapProps {
  readonly picture: Picture;
  readonly boxAt: BoxAt;
  readonly session: SessionState;
  readonly view: Observable<View>;
  readonly screen: Size;
  goTo(point: Point): void;
}

export function Minimap(props: MinimapProps): JSX.Element {
  const { picture, boxAt, session, view, screen, goTo } = props;
  const frame = useRef<SVGRectElement>(null);
  const { drawing } = picture;
  // A picture like a ribbon is stretched: a strip too thin to be hit would be of no use.
  const scale = Math.min(WIDTH / drawing.width, HEIGHT / drawing.height);
  const width = Math.max(drawing.width * scale, LEAST);
  const height = Math.max(drawing.height * scale, LEAST);
  const sx = width / drawing.width;
  const sy = height / drawing.height;
  const frames = useMemo(() => framesPath(drawing, sx, sy), [drawing, sx, sy]);
  const paths = useMemo(
    () => statePaths(drawing, session.fold, session.run.current, sx, sy),
    [drawing, session.run, session.fold, sx, sy]
  );

  const [corner, setCorner] = useState<Corner | null>('right');
  const [looks, setLooks] = useState(false);
  const before = useRef<Corner>('right');
  const place = useRef<() => void>(() => undefined);
  place.current = () => {
    const boxes = drawing.boxes.map((_, index) => boxAt(index));
    const free = freeCorner(boxes, view.value, screen, { width, height }, before.current);
    before.current = free ?? before.current;
    setCorner(free);
  };
  useEffect(() => place.current(), [view, screen, drawing, boxAt, width, height]);
  useEffect(() => {
    let end: ReturnType<typeof setTimeout> | undefined;
    const stop = view.subscribe(() => {
      setLooks(true);
      clearTimeout(end);
      end = setTimeout(() => {
        setLooks(false);
        place.current();
      }, LINGER);
    });
    return () => {
      stop();
      clearTimeout(end);
    };
  }, [view]);

  useEffect(() => {
    const show = (): void => {
      const { x, y, width: w, height: h } = seen(view.value, screen);
      const box = { x: x * sx, y: y * sy, width: w * sx, height: h * sy };
      for (const [name, value] of Object.entries(box)) {
        frame.current?.setAttribute(name, value.toFixed(1));
      }
    };
    show();
    return view.subscribe(show);
  }, [view, screen, sx, sy]);

  const go = (event: TargetedPointerEvent<SVGSVGElement>): void => {
    if (event.buttons & 1) {
      const { left, top } = event.currentTarget.getBoundingClientRect();
      goTo({ x: (event.clientX - left) / sx, y: (event.clientY - top) / sy });
    }
  };

  return (
    <svg
      class={`vg-minimap vg-in-${corner ?? 'right'}${corner === null && !looks ? ' vg-no-room' : ''}`}
      width={width}
      height={height}
      aria-hidden="true"
      onPointerDown={go}
      onPointerMove={go}
    >
      <path class="vg-minimap-groups" d={frames} />
      {NODE_STATES.map(state => (
        <path key={state} data-state={state} d={paths[state]} />
      ))}
      <path class="vg-minimap-odd" d={paths.odd} />
      <rect ref={frame} class="vg-minimap-frame" rx={2} />
    </svg>
  );
}
