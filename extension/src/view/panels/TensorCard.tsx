/** One gradient: its size in words and numbers, how its values are spread, and the values. */
import type { ComponentChildren, JSX } from 'preact';

import type { TensorSummary } from '../../protocol';
import * as format from '../format';
import { Icon } from '../Icons';
import { memo } from '../memo';
import { ArrayPicture } from './array/ArrayPicture';
import { GoThrough } from './array/GoThrough';
import type { Which } from './array/which';
import { Numbers } from './array/Numbers';
import { Histogram } from './Histogram';
import { Tangents } from './Tangents';

interface TensorCardProps {
  readonly title: ComponentChildren;
  /** Null: an undefined gradient. */
  readonly summary: TensorSummary | null;
  /** Which array of the node it is, if the kernel can be asked for it. */
  readonly of?: Which;
}

/** For the cells of a picture, beside the figures. */
const ROOM = { width: 150, height: 96 };

function TensorCardInner({ title, summary, of }: TensorCardProps): JSX.Element {
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
  const { values, heat, phases, shape } = summary;
  const size = sizeOf(summary);
  return (
    <div class="vg-card">
      <div class="vg-card-head">
        <span class="vg-card-title">{title}</span>{' '}
        <span class="vg-mono vg-muted">
          {format.tensor(summary)}
          {summary.device === 'cpu' ? '' : ` ${summary.device}`}
          {summary.nnz === null ? '' : ` ${summary.layout}, ${summary.nnz} stored`}
        </span>{' '}
        <span class="vg-muted">{format.bytes(summary.bytes)}</span>
      </div>
      {values && size > 0 && <Numbers shape={shape} values={values} phases={phases} />}
      {size !== 1 && (
        <div class="vg-card-body">
          <Figures summary={summary} written={values !== null && size > 0} />
          {!values && heat && <ArrayPicture shape={shape} at={WHOLE} blocks={heat} room={ROOM} />}
          {!values && summary.histogram.length > 0 && (
            <Histogram
              counts={summary.histogram}
              min={summary.min}
              max={summary.max}
              magnitudes={isComplex(summary)}
            />
          )}
        </div>
      )}
      <Odd summary={summary} />
      <Tangents tangents={summary.tangents} of={summary} direction="down" />
      {of && size > 0 && <GoThrough of={of} />}
    </div>
  );
}

const WHOLE: readonly null[] = [];

function isComplex({ dtype }: TensorSummary): boolean {
  return dtype.startsWith('complex');
}

interface FiguresProps {
  readonly summary: TensorSummary;
  /** Its values stand there: only what does not follow at a glance is told. */
  readonly written: boolean;
}

function Figures({ summary, written }: FiguresProps): JSX.Element {
  const { norm, min, max, mean, zeros } = summary;
  const total = sizeOf(summary);
  const share = total > 0 && zeros > 0 ? ` (${Math.round((100 * zeros) / total)} %)` : '';
  const of = isComplex(summary) ? ' |z|' : '';
  const rows: [string, string][] = [
    ['norm', format.number(norm)],
    [`mean${of}`, format.number(mean)],
    [`min${of}`, format.number(min)],
    [`max${of}`, format.number(max)],
    ['zeros', `${zeros}${share}`]
  ];
  return (
    <dl class="vg-figures">
      {rows.slice(0, written ? 1 : undefined).map(([name, value]) => (
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

/** NaN and inf are what a person came for: they are told apart, loudly. */
function Odd({ summary: { nans, infs } }: { summary: TensorSummary }): JSX.Element | null {
  if (nans === 0 && infs === 0) {
    return null;
  }
  const words = [nans > 0 ? `${nans} NaN` : '', infs > 0 ? `${infs} inf` : ''].filter(Boolean);
  return (
    <div class="vg-odd">
      <Icon name="warning" /> {words.join(', ')}
    </div>
  );
}

export const TensorCard = memo(TensorCardInner);
