/** The eleven stages of a visit, and what each did. Stages that did nothing are dim. */
import type { JSX } from 'preact';

import { STAGES } from '../../protocol';
import type { StageRecord } from '../../protocol';
import { TensorCard } from './TensorCard';

export const STAGE_NAMES: Readonly<Record<(typeof STAGES)[number], string>> = {
  tensor_hooks: 'tensor hooks',
  retain_grad: 'retain_grad',
  capture: 'capture',
  prehooks: 'node pre-hooks',
  formula: 'formula',
  validate: 'validation',
  post_accumulate: 'post-accumulate hooks',
  posthooks: 'node post-hooks',
  release: 'release of saved values',
  nan_check: 'NaN check',
  deliver: 'delivery'
};

export function Stages({ records }: { records: readonly StageRecord[] }): JSX.Element {
  return (
    <section class="vg-part">
      <h4>Stages of the visit</h4>
      <ol class="vg-stages">
        {STAGES.map((stage, i) => {
          const own = records.filter(record => record.stage === stage);
          return (
            <li key={stage} class={own.length ? 'vg-stage' : 'vg-stage vg-idle'} data-stage={stage}>
              <span class="vg-stage-number">{i + 1}</span>
              <span class="vg-stage-name">{STAGE_NAMES[stage]}</span>
              {own.length === 0 && <span class="vg-muted">–</span>}
              {own.map((record, k) => (
                <StageDetail key={k} record={record} />
              ))}
            </li>
          );
        })}
      </ol>
    </section>
  );
}

function StageDetail({ record }: { record: StageRecord }): JSX.Element {
  const { detail, before, after } = record;
  return (
    <div class="vg-stage-detail">
      {detail === '' ? 'done' : detail}
      {(before ?? after) !== null && (
        <div class="vg-before-after">
          <TensorCard title="before" summary={before} />
          <TensorCard title="after" summary={after} />
        </div>
      )}
    </div>
  );
}
