/** What AccumulateGrad did to `.grad`, and why. */
import type { JSX } from 'preact';

import type { AccumulateRecord, Inspection } from '../../protocol';
import { Sentence } from '../Sentence';
import { which } from './array/which';
import { TensorCard } from './TensorCard';

/** How the engine decided, in words: what it did, and what `.grad` is now. */
const DECISIONS: Record<string, readonly [done: string, means: string]> = {
  taken: ['stored', '`.grad` is the gradient that arrived, not a copy of it'],
  copied: ['copied', '`.grad` is a copy of the gradient that arrived'],
  stored: ['stored', '`.grad` was None and holds the gradient that arrived'],
  added: ['added', '`.grad` is the sum of its old value and the gradient that arrived'],
  'added in place': ['added in place', 'the gradient was added to the tensor that `.grad` was'],
  'new tensor': ['added', '`.grad` is a new tensor: its old value and the gradient that arrived'],
  dropped: ['not stored', '`.grad` is None'],
  undefined: ['not stored', 'no gradient arrived: `.grad` is as it was']
};

export function Accumulate({ record }: { record: AccumulateRecord }): JSX.Element {
  const [done, means] = DECISIONS[record.decision] ?? [record.decision, ''];
  return (
    <section class="vg-part">
      <h4>Accumulated into .grad</h4>
      <p class="vg-decision">
        <span class="vg-badge">{done}</span> <Sentence text={means} />
        {record.reason && (
          <>
            {' ('}
            <Sentence text={record.reason} />)
          </>
        )}
      </p>
      {record.before ? (
        <TensorCard title=".grad before" summary={record.before} of={which('grad_before')} />
      ) : (
        <p class="vg-muted">.grad before: None</p>
      )}
      {record.after ? (
        <TensorCard title=".grad after" summary={record.after} of={which('grad_after')} />
      ) : (
        <p class="vg-muted">.grad after: None</p>
      )}
    </section>
  );
}

/** A leaf's `.grad` before its visit. */
export function LeafGrad({ inspection }: { inspection: Inspection }): JSX.Element {
  return (
    <section class="vg-part">
      <h4>.grad now</h4>
      {inspection.grad ? (
        <TensorCard title=".grad" summary={inspection.grad} of={which('grad')} />
      ) : (
        <p class="vg-muted">None: no gradient has been accumulated yet.</p>
      )}
    </section>
  );
}
