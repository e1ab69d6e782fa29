/** The norms of equal cells as bands of colour, for a box that is seen from far away. */
import type { JSX } from 'preact';

import type { Norms } from './norms';
import { bandsOf, heatName } from './heat';

interface BandsProps {
  readonly norms: Norms;
  readonly width: number;
  readonly height: number;
}

export function Bands({ norms, width, height }: BandsProps): JSX.Element {
  return (
    <g class="vg-bands">
      {bandsOf(norms).map(({ from, to, heat }) => (
        <rect
          key={from}
          data-heat={heatName(heat)}
          x={from * width}
          width={(to - from) * width}
          height={height}
        />
      ))}
    </g>
  );
}
