/** What AccumulateGrad did to `.grad`, and why. */
import type { JSX } from 'preact';

import type { AccumulateRecord, Inspection } from '../../protocol';
import { Sentence } from '../Sentence';
import { which } from './array/which';
import { TensorCard } from './TensorCard';

export function Accumulate({ record }: { record: AccumulateRecord }): JSX.Element {
  return (
    <section class="vg-part">
      <h4>Accumulated into .grad</h4>
      <p class="vg-decision">
        <span class="vg-badge">{record.decision}</span> <Sentence text={record.reason} />
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
