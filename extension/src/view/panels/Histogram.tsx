/** How the finite elements are spread between the smallest and the largest. */
import type { JSX } from 'preact';

import * as format from '../format';

const WIDTH = 120;
const HEIGHT = 34;

interface HistogramProps {
  readonly counts: readonly number[];
  readonly min: number | null;
  readonly max: number | null;
  /** Of the magnitudes of complex numbers. */
  readonly magnitudes: boolean;
}

export function Histogram({ counts, min, max, magnitudes }: HistogramProps): JSX.Element | null {
  const most = counts.reduce((a, b) => Math.max(a, b), 0);
  if (most === 0) {
    return null;
  }
  const bar = WIDTH / counts.length;
  const zero = min !== null && max !== null && min < 0 && max > 0 ? -min / (max - min) : null;
  return (
    <figure class="vg-histogram">
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`Histogram${magnitudes ? ' of magnitudes' : ''} from ${format.number(min)} to ${format.number(max)}`}
      >
        {counts.map((count, i) => {
          const height = count === 0 ? 0 : Math.max((count / most) * HEIGHT, 1);
          return (
            <rect
              key={i}
              x={i * bar + 0.4}
              y={HEIGHT - height}
              width={Math.max(bar - 0.8, 0.4)}
              height={height}
            >
              <title>{format.count(count, 'element')}</title>
            </rect>
          );
        })}
        {zero !== null && <path class="vg-zero" d={`M${zero * WIDTH},0V${HEIGHT}`} />}
      </svg>
      <figcaption>
        <span>{format.number(min)}</span>
        {magnitudes && <span>magnitude</span>}
        <span>{format.number(max)}</span>
      </figcaption>
    </figure>
  );
}
