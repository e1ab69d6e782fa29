/** One gradient: its size in words and numbers, how its values are spread, and the values. */
import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';

import type { TensorSummary } from '../../protocol';
import * as format from '../format';
import { Icon } from '../Icons';
import { memo } from '../memo';
import { HeatMap } from './HeatMap';
import { Histogram } from './Histogram';
import { ValueTable } from './ValueTable';

interface TensorCardProps {
  readonly title: ComponentChildren;
  /** Null: an undefined gradient. */
  readonly summary: TensorSummary | null;
}

function TensorCardInner({ title, summary }: TensorCardProps): JSX.Element {
  const [open, setOpen] = useState(false);
  if (!summary) {
    return (
      <div class="vg-card vg-card-undefined">
        <div class="vg-card-head">
          <span class="vg-card-title">{title}</span>
          <span class="vg-muted">undefined (no gradient)</span>
        </div>
      </div>
    );
  }
  const { values } = summary;
  const scalar = summary.nnz === null && sizeOf(summary) === 1;
  return (
    <div class="vg-card">
      <div class="vg-card-head">
        <span class="vg-card-title">{title}</span>
        <span class="vg-mono vg-muted">
          {format.tensor(summary)}
          {summary.device === 'cpu' ? '' : ` ${summary.device}`}
          {summary.nnz === null ? '' : ` ${summary.layout}, ${summary.nnz} stored`}
        </span>
        <span class="vg-muted">{format.bytes(summary.bytes)}</span>
      </div>
      {scalar ? (
        <div class="vg-scalar">{format.number(values?.[0] ?? summary.mean)}</div>
      ) : (
        <div class="vg-card-body">
          <Figures summary={summary} />
          {summary.histogram.length > 0 && (
            <Histogram counts={summary.histogram} min={summary.min} max={summary.max} />
          )}
          {summary.heat.length > 0 && <HeatMap summary={summary} />}
        </div>
      )}
      <Odd summary={summary} />
      {values && !scalar && values.length > 0 && (
        <>
          <button
            type="button"
            class="vg-more-button"
            aria-expanded={open}
            onClick={() => setOpen(!open)}
          >
            {open ? 'Hide values' : 'Values'}
          </button>
          {open && <ValueTable shape={summary.shape} values={values} />}
        </>
      )}
    </div>
  );
}

function Figures({ summary }: { summary: TensorSummary }): JSX.Element {
  const { norm, min, max, mean, zeros } = summary;
  const total = sizeOf(summary);
  const share = total > 0 && zeros > 0 ? ` (${Math.round((100 * zeros) / total)} %)` : '';
  const rows: [string, string][] = [
    ['norm', format.number(norm)],
    ['mean', format.number(mean)],
    ['min', format.number(min)],
    ['max', format.number(max)],
    ['zeros', `${zeros}${share}`]
  ];
  return (
    <dl class="vg-figures">
      {rows.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function sizeOf({ shape }: TensorSummary): number {
  return shape.reduce((a, b) => a * b, 1);
}

/** NaN and Inf are what a person came for: they are told apart, loudly. */
function Odd({ summary: { nans, infs } }: { summary: TensorSummary }): JSX.Element | null {
  if (nans === 0 && infs === 0) {
    return null;
  }
  const words = [nans > 0 ? `${nans} NaN` : '', infs > 0 ? `${infs} Inf` : ''].filter(Boolean);
  return (
    <div class="vg-odd">
      <Icon name="warning" /> {words.join(', ')}
    </div>
  );
}

export const TensorCard = memo(TensorCardInner);
