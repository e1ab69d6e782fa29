/** The norms of equal cells as a small curve, and in a word how they fall or grow. */
import type { JSX } from 'preact';

import { memo } from '../memo';
import { curveLine, trendBrief, trendOf, trendText } from './norms';
import type { Norms } from './norms';
import type { TextMetrics } from './text';

interface CurveProps {
  readonly norms: Norms;
  readonly cells: number;
  readonly width: number;
  readonly height: number;
  readonly metrics: TextMetrics;
}

/** Space around the line: a dot at the edge must not be cut. */
const AIR = 2;
const GAP = 6;

function CurveInner({ norms, cells, width, height, metrics }: CurveProps): JSX.Element {
  const trend = trendOf(norms);
  const brief = trendBrief(trend);
  const words = brief && metrics.width(brief, 'strong') + GAP <= width - 40 ? brief : '';
  const room = words ? metrics.width(words, 'strong') + GAP : 0;
  const { line, dots, zeros, odd } = curveLine(norms, width - room, height - 2 * AIR);
  const tone =
    trend === null || !brief
      ? ''
      : trend.odd > 0
        ? 'odd'
        : (trend.factor ?? 0) > 1
          ? 'grows'
          : 'falls';
  return (
    <g class="vg-curve" data-trend={tone || undefined}>
      <title>{trendText(norms, cells)}</title>
      {!isOneDot(norms) && (
        <>
          <rect class="vg-curve-ground" width={width - room} height={height} rx={2} />
          <g transform={`translate(0,${AIR})`}>
            <path class="vg-curve-odd" d={odd} />
            <path class="vg-curve-line" d={line} />
            <path class="vg-curve-dots" d={dots} />
            <path class="vg-curve-zeros" d={zeros} />
          </g>
        </>
      )}
      {words && (
        <text class="vg-sub vg-curve-words" x={width} y={height / 2 + 4} text-anchor="end">
          {words}
        </text>
      )}
    </g>
  );
}

/** Is there no more to see than that one gradient has come? */
function isOneDot(norms: Norms): boolean {
  const seen = norms.filter(norm => norm !== null);
  return seen.length === 1 && seen.every(norm => Number.isFinite(norm) && norm > 0);
}

export const Curve = memo(CurveInner);
