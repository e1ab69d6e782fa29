/** The saved values of a node as small chips inside its box. */
import type { JSX } from 'preact';

import type { Saved } from '../../protocol';
import * as format from '../format';
import { SavedShape } from '../Icons';
import { isTensor } from '../../store';
import type { TextMetrics } from './text';

const HEIGHT = 17;
const GAP = 5;
const MORE_WIDTH = 26;

interface Chip {
  readonly saved: Saved;
  readonly x: number;
  readonly width: number;
}

interface ChipRowProps {
  readonly saved: readonly Saved[];
  readonly width: number;
  readonly metrics: TextMetrics;
}

export function ChipRow({ saved, width, metrics }: ChipRowProps): JSX.Element {
  const { chips, more, end } = arrange(saved, width - 18, metrics);
  return (
    <g class="vg-chips" transform="translate(9,47)">
      {chips.map(({ saved: value, x, width: w }) => (
        <g
          key={value.name}
          class="vg-chip"
          data-saved-state={value.state}
          data-saved-name={value.name}
          transform={`translate(${x},0)`}
        >
          <title>{describe(value)}</title>
          <rect width={w} height={HEIGHT} rx={3} />
          <g transform="translate(4,3.5) scale(0.62)">
            <SavedShape state={value.state} />
          </g>
          <text x={17} y={12.2}>
            {metrics.fit(value.name, w - 22, 'chip')}
          </text>
        </g>
      ))}
      {more > 0 && (
        <text class="vg-more" x={end} y={12.2}>
          {`+${more}`}
        </text>
      )}
    </g>
  );
}

/** As many chips as fit; stale ones first, since they are why somebody looks. */
function arrange(saved: readonly Saved[], width: number, metrics: TextMetrics) {
  const tensors = saved.filter(isTensor);
  const ordered = [...tensors].sort(
    (a, b) => Number(b.state === 'stale') - Number(a.state === 'stale')
  );
  const chips: Chip[] = [];
  let x = 0;
  for (const value of ordered) {
    const w = Math.min(metrics.width(value.name, 'chip') + 24, 118);
    const last = chips.length === ordered.length - 1;
    if (x + w > width - (last ? 0 : MORE_WIDTH) && chips.length > 0) {
      break;
    }
    chips.push({ saved: value, x, width: Math.min(w, width) });
    x += w + GAP;
  }
  return { chips, more: tensors.length - chips.length, end: x };
}

/** One line about a saved value, for a tooltip. */
export function describe(saved: Saved): string {
  const what = saved.value || (saved.dtype ? format.tensor(saved) : '');
  const versions =
    saved.storage === null
      ? ''
      : `saved at version ${format.counter(saved.version_saved)}, now ${saved.version_now}`;
  return [
    `${saved.name}: ${format.SAVED_WORDS[saved.state]}`,
    what,
    saved.bytes ? format.bytes(saved.bytes) : '',
    versions
  ]
    .filter(Boolean)
    .join(' · ');
}
