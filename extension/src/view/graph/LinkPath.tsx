/** A line: its look tells whether a gradient went over it, and about how large. */
import type { JSX } from 'preact';

import type { DrawnLine } from '../../protocol';
import { memo } from '../memo';
import { flowOf, lineWidth } from './flow';
import { heatName } from './heat';
import type { Heat } from './heat';
import { headPath, linePath } from './routePath';
import type { Detail } from './viewport';

interface LinkPathProps {
  readonly line: DrawnLine;
  /** Of the gradient that went over it; null: an undefined one, undefined: none yet. */
  readonly norm: number | null | undefined;
  /** A line from a result: the backward starts with it. */
  readonly start: boolean;
  /** A line to a collective. */
  readonly call?: boolean;
  readonly near: boolean;
  readonly detail: Detail;
  /** Number of the input slot, where the node at its end has several. */
  readonly slot: string;
  readonly heat: Heat | null | undefined;
  /** A step of the way from what was seen to its cause. */
  readonly onWay?: boolean;
}

function LinkPathInner(props: LinkPathProps): JSX.Element {
  const { line, norm, start, near, detail, slot } = props;
  const path = linePath(line.points);
  const odd = norm !== null && norm !== undefined && !Number.isFinite(norm);
  const end = line.points.length;
  return (
    <g
      class={`vg-link${near ? ' vg-near' : ''}${odd ? ' vg-nonfinite' : ''}${start ? ' vg-start' : ''}${props.call === true ? ' vg-call-line' : ''}`}
      data-flow={flowOf(norm)}
      data-link={line.key}
      data-heat={heatName(props.heat)}
      data-why={props.onWay === true ? 'way' : undefined}
      aria-hidden="true"
    >
      {detail === 'full' && <path class="vg-hit" d={path} />}
      <path class="vg-line" d={path} style={{ strokeWidth: lineWidth(norm) }} />
      {detail !== 'shape' && <path class="vg-head" d={headPath(line.points)} />}
      {detail === 'full' && slot && (
        <text
          class="vg-port vg-slot"
          x={(line.points[end - 2] ?? 0) - 6}
          y={(line.points[end - 1] ?? 0) - 4}
          text-anchor="end"
        >
          {slot}
        </text>
      )}
    </g>
  );
}

export const LinkPath = memo(LinkPathInner);
