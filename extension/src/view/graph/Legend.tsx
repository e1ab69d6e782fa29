/** What colours mean while they say how large gradients are. */
import type { JSX } from 'preact';

import { heatName, HEATS, heatText } from './heat';
import type { Heat } from './heat';
import type { Detail } from './viewport';

const ROWS: readonly Heat[] = [...HEATS, 'odd'];

export function Legend({ detail }: { readonly detail: Detail }): JSX.Element {
  return (
    <div
      class={`vg-legend vg-detail-${detail}`}
      role="note"
      aria-label="Colours: norm of the gradient"
    >
      <span class="vg-legend-title">‖g‖</span>
      {ROWS.map(heat => (
        <span key={heat} class="vg-legend-step" title={heatText(heat)}>
          <svg width="20" height="12" aria-hidden="true">
            <rect class="vg-swatch" data-heat={heatName(heat)} width="20" height="12" rx="2" />
          </svg>
          <span>{label(heat)}</span>
        </span>
      ))}
    </div>
  );
}

/** Where the scale begins, is usual and ends; the rest is between. */
function label(heat: Heat): string {
  switch (heat) {
    case -4:
      return '<1e-8';
    case 0:
      return '0.01–10';
    case 4:
      return '≥1e4';
    case 'odd':
      return 'NaN, Inf';
    default:
      return '';
  }
}
