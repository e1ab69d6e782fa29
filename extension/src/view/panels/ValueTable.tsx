/** Single values of a matrix as a table. */
import type { JSX } from 'preact';

import type { Blocks } from '../../protocol';
import * as format from '../format';

export function ValueTable({ blocks }: { blocks: Blocks }): JSX.Element {
  const { rows, columns, values, phases } = blocks;
  return (
    <div class="vg-values">
      <table>
        <thead>
          <tr>
            <td />
            {values[0]?.map((_, x) => (
              <th key={x} scope="col">
                {columns[0] + x}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {values.map((row, y) => (
            <tr key={y}>
              <th scope="row">{rows[0] + y}</th>
              {row.map((value, x) => {
                const phase = phases[y]?.[x];
                const odd = value === 0 ? 'vg-is-zero' : Number.isFinite(value) ? '' : 'vg-is-odd';
                return (
                  <td key={x} class={odd}>
                    {format.number(value)}
                    {phase !== undefined && ` ∠ ${format.angle(phase)}`}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
