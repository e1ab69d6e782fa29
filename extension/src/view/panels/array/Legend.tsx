/** What the colours and signs of an array's picture mean. */
import type { JSX } from 'preact';

import * as format from '../../format';
import { colour, gradient, phaseColour } from './scale';
import type { Scale } from './scale';

export function Legend({ scale, complex }: { scale: Scale; complex: boolean }): JSX.Element {
  const { largest, negative, nans, high, low } = scale;
  return (
    <div class="vg-array-legend">
      <span>{negative ? format.number(-largest) : '0'}</span>
      <span class="vg-legend-bar" style={{ background: gradient(colour, negative ? -1 : 0, 1) }}>
        {negative ? '0' : ''}
      </span>
      <span>{format.number(largest)}</span>
      {complex && <span class="vg-muted">magnitude</span>}
      {nans > 0 && <span class="vg-legend-odd">✕ NaN</span>}
      {high > 0 && <span class="vg-legend-odd">▲ inf</span>}
      {low > 0 && <span class="vg-legend-odd">▼ -inf</span>}
    </div>
  );
}

export function PhaseLegend(): JSX.Element {
  return (
    <div class="vg-array-legend">
      <span>-180°</span>
      <span
        class="vg-legend-bar"
        style={{ background: gradient(share => phaseColour(share * Math.PI), -1, 1) }}
      />
      <span>180°</span>
      <span class="vg-muted">phase</span>
    </div>
  );
}
