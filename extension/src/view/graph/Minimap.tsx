/** The whole picture in a corner: where one is, and where the run is. Click or drag to go there. */
import type { JSX, TargetedPointerEvent } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';

import { NODE_STATES } from '../../protocol';
import type { Observable, SessionState } from '../../store';
import type { Point, Size } from './geometry';
import { framesPath, statePaths } from './minimapPaths';
import type { Picture } from './picture';
import { seen } from './viewport';
import type { View } from './viewport';

/** Smaller pictures are overlooked without one. */
export const MINIMAP_FROM = 60;
const WIDTH = 140;
const HEIGHT = 120;
const LEAST = 40;

interface MinimapProps {
  readonly picture: Picture;
  readonly session: SessionState;
  readonly view: Observable<View>;
  readonly screen: Size;
  goTo(point: Point): void;
}

export function Minimap({ picture, session, view, screen, goTo }: MinimapProps): JSX.Element {
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
      class="vg-minimap"
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
