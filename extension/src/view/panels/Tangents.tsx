/** In forward mode, what comes with an array: how it changes along what a level perturbs. */
import type { JSX } from 'preact';

import type { Tangent } from '../../protocol';
import * as format from '../format';
import { Numbers } from './array/Numbers';

interface TangentsProps {
  /** One for each level. */
  readonly tangents: readonly Tangent[];
  readonly of: { readonly shape: readonly number[]; readonly dtype: string };
  /** Up with values, from the inputs to the results; down with gradients, back to the inputs. */
  readonly direction: 'up' | 'down';
}

export function Tangents({ tangents, of, direction }: TangentsProps): JSX.Element {
  const [arrow, title] =
    direction === 'up'
      ? ['↑', 'Forward: from the inputs to the results']
      : ['↓', 'Backward, with the gradient: from the results to the inputs'];
  return (
    <>
      {tangents.map(({ norm, values, phases }, level) => (
        <div key={level} class="vg-saved-detail vg-tangent" title={title}>
          <span>
            {tangents.length > 1 ? `tangent ${arrow} of level ${level}` : `tangent ${arrow}`}
          </span>
          <span class="vg-mono">{format.tensor(of)}</span>
          {values && values.length > 0 ? (
            <Numbers shape={of.shape} values={values} phases={phases} />
          ) : (
            norm !== null && <span>{`norm ${format.number(norm)}`}</span>
          )}
        </div>
      ))}
    </>
  );
}
