/** All elements of a small array, as tables of its last two dimensions. */
import type { JSX } from 'preact';

import * as format from '../format';

interface ValueTableProps {
  readonly shape: readonly number[];
  readonly values: readonly number[];
}

export function ValueTable({ shape, values }: ValueTableProps): JSX.Element {
  const columns = shape[shape.length - 1] ?? 1;
  const rows = shape.length > 1 ? (shape[shape.length - 2] ?? 1) : 1;
  const outer = shape.slice(0, -2);
  const slices = outer.reduce((a, b) => a * b, 1);
  const at = (slice: number, row: number, column: number): number =>
    values[(slice * rows + row) * columns + column] ?? NaN;
  return (
    <div class="vg-values">
      {range(slices).map(slice => (
        <table key={slice}>
          {outer.length > 0 && (
            <caption>{`[${[...unravel(slice, outer), ':', ':'].join(', ')}]`}</caption>
          )}
          <tbody>
            {range(rows).map(row => (
              <tr key={row}>
                {shape.length > 1 && <th scope="row">{row}</th>}
                {range(columns).map(column => {
                  const value = at(slice, row, column);
                  const odd = Number.isFinite(value)
                    ? value === 0
                      ? 'vg-is-zero'
                      : ''
                    : 'vg-is-odd';
                  return (
                    <td key={column} class={odd}>
                      {format.number(value)}
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      ))}
    </div>
  );
}

function range(count: number): number[] {
  return Array.from({ length: count }, (_, i) => i);
}

/** The indices of element `index` of an array of these dimensions. */
function unravel(index: number, dims: readonly number[]): number[] {
  const out: number[] = [];
  let rest = index;
  for (let i = dims.length - 1; i >= 0; i--) {
    const size = dims[i] ?? 1;
    out.unshift(rest % size);
    rest = Math.floor(rest / size);
  }
  return out;
}
