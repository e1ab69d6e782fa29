/** The whole picture in a corner: where one is, and where the run is. Click or drag to go there. */
import type { JSX, TargetedPointerEvent } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';

import { NODE_STATES } from '../../protocol';
import type { NodeState } from '../../protocol';
import type { Fold, Observable, SessionState } from '../../store';
import type { Point } from '../layout/types';
import type { Size } from './sizes';
import type { Picture } from './usePicture';
import type { Item } from './visible';
import { seen } from './viewport';
import type { View } from './viewport';

/** Smaller pictures are overlooked without one. */
export const MINIMAP_FROM = 60;
const WIDTH = 132;
const HEIGHT = 108;
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
  const { layout } = picture;
  // A picture like a ribbon is stretched: a strip too thin to be hit would be of no use.
  const scale = Math.min(WIDTH / layout.width, HEIGHT / layout.height);
  const width = Math.max(layout.width * scale, LEAST);
  const height = Math.max(layout.height * scale, LEAST);
  const sx = width / layout.width;
  const sy = height / layout.height;
  const paths = useMemo(
    () => pathsByState(picture, session, sx, sy),
    [picture, session.run, sx, sy]
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
      {NODE_STATES.map(state => (
        <path key={state} data-state={state} d={paths[state]} />
      ))}
      <rect ref={frame} class="vg-minimap-frame" rx={2} />
    </svg>
  );
}

function pathsByState(
  { visible, layout }: Picture,
  { fold, run }: SessionState,
  sx: number,
  sy: number
): Partial<Record<NodeState, string>> {
  const parts: Partial<Record<NodeState, string[]>> = {};
  for (const item of visible.items) {
    const box = layout.items.get(item.key);
    if (!box || item.kind === 'result') {
      continue;
    }
    const state = stateOf(item, fold, run.current);
    const w = Math.max(box.width * sx, 1.5).toFixed(1);
    const h = Math.max(box.height * sy, 1.5).toFixed(1);
    const at = `${(box.x * sx).toFixed(1)},${(box.y * sy).toFixed(1)}`;
    (parts[state] ??= []).push(`M${at}h${w}v${h}h-${w}z`);
  }
  return Object.fromEntries(Object.entries(parts).map(([state, list]) => [state, list.join('')]));
}

/** Of a group: that it holds what comes next, or how far the first of it is. */
function stateOf(
  item: Exclude<Item, { kind: 'result' }>,
  fold: Fold,
  current: number | null
): NodeState {
  if (item.kind !== 'group') {
    return fold.state(item.node);
  }
  const here = current !== null && item.nodes.includes(current);
  return here ? 'current' : fold.state(item.nodes[0] as number);
}
