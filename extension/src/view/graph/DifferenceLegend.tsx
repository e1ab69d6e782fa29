/** What colours mean while two branches are compared. */
import type { JSX } from 'preact';

import type { Compared } from '../../store';
import * as format from '../format';
import { useStore } from '../hooks';
import { BOUNDS, percent, STEPS, stepText } from './differing';
import type { Step } from './differing';
import type { Detail } from './viewport';

interface DifferenceLegendProps {
  readonly compared: Compared;
  /** As boxes are drawn: near by they are paler, for the text on them. */
  readonly detail: Detail;
}

export function DifferenceLegend({ compared, detail }: DifferenceLegendProps): JSX.Element {
  const store = useStore();
  const { here, there, nodes, total } = compared;
  const cut = nodes.size < total ? `, the ${format.whole(nodes.size)} that differ most` : '';
  return (
    <div
      class={`vg-legend vg-legend-differs vg-compared vg-detail-${detail}`}
      role="note"
      aria-label={`Colours: difference of ${there} from ${here}, relative to its norm${cut}`}
    >
      <span class="vg-legend-title">{`Δ ${there} from ${here}${cut}`}</span>
      <span class="vg-legend-row">
        {STEPS.map(step => (
          <span key={step} class="vg-legend-step" title={stepText(step)}>
            <svg width="20" height="12" aria-hidden="true">
              <rect class="vg-swatch" data-differs={step} width="20" height="12" rx="2" />
            </svg>
            <span>{label(step)}</span>
          </span>
        ))}
        <button
          type="button"
          class="vg-legend-close"
          aria-label="Stop comparing"
          title="Stop comparing"
          onClick={() => store.view({ comparing: null })}
        >
          ×
        </button>
      </span>
    </div>
  );
}

function label(step: Step): string {
  switch (step) {
    case 0:
      return 'same';
    case 1:
      return `<${percent(BOUNDS[0] as number)}`;
    case 'odd':
      return 'NaN, Inf, 0';
    case 'alone':
      return 'only one';
    default:
      return `≥${percent(BOUNDS[step - 2] as number)}`;
  }
}
