/** Few values, written as numbers. */
import type { JSX } from 'preact';

import * as format from '../../format';

/** An array with at most so many is written, not drawn. */
export const WRITTEN = 8;

interface NumbersProps {
  readonly shape: readonly number[];
  readonly values: readonly number[];
  /** Of complex numbers, of which `values` are the magnitudes. */
  readonly phases: readonly number[] | null;
}

export function Numbers({ shape, values, phases }: NumbersProps): JSX.Element {
  return (
    <div class="vg-numbers">
      {nested(shape, 0, values, phases)}
      {phases && <span class="vg-muted"> magnitude ∠ phase</span>}
    </div>
  );
}

/** As Python writes lists: "[[1, 2], [3, 4]]". */
function nested(
  shape: readonly number[],
  first: number,
  values: readonly number[],
  phases: readonly number[] | null
): (JSX.Element | string)[] {
  const [length, ...inner] = shape;
  if (length === undefined) {
    const value = values[first] ?? NaN;
    const angle = phases?.[first];
    const text =
      format.number(value) +
      (angle === undefined || Number.isNaN(angle) ? '' : ` ∠ ${format.angle(angle)}`);
    return [
      <span key={first} class={Number.isFinite(value) ? undefined : 'vg-is-odd'}>
        {text}
      </span>
    ];
  }
  const step = inner.reduce((a, b) => a * b, 1);
  const items = Array.from({ length }, (_, i) => nested(inner, first + i * step, values, phases));
  return ['[', ...items.flatMap((item, i) => (i > 0 ? [', ', ...item] : item)), ']'];
}
