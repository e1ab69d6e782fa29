/** Where a node comes from: the source line, the scope, the formulas, the saved values. */
import type { JSX } from 'preact';
import { useId, useState } from 'preact/hooks';

import type { Formula, Mathematics, Node, Place } from '../../protocol';
import * as format from '../format';
import { PlaceLink } from '../PlaceLink';
import { codeIn, Sentence } from '../Sentence';
import { copy } from './array/copy';
import { Maths } from './Maths';

export function PlaceLine({ place }: { place: Place }): JSX.Element {
  return (
    <div class="vg-place">
      <div class="vg-place-where" title={`${place.file}:${place.line}`}>
        <PlaceLink text={format.place(place)} place={place} />
        {place.function && place.function !== '<module>' && (
          <span class="vg-muted"> in {place.function}</span>
        )}
      </div>
      {place.text && <pre class="vg-code">{place.text.trim()}</pre>}
    </div>
  );
}

interface RecordedProps {
  readonly node: Node;
  /** How its line can be had the next time, where the engine has not noted it. */
  readonly unnoted: string;
}

export function Recorded({ node, unnoted }: RecordedProps): JSX.Element | null {
  const { place } = node;
  if (place === null && unnoted === '') {
    return null;
  }
  return (
    <section class="vg-part" aria-label="Source line">
      {place ? <PlaceLine place={place} /> : <NoLine told={unnoted} />}
    </section>
  );
}

/** The sentence of the kernel, as the banner has it; its code can be copied. */
export function NoLine({ told }: { readonly told: string }): JSX.Element {
  const [said, say] = useState('');
  const code = codeIn(told);
  return (
    <div class="vg-no-line">
      <p class="vg-muted">
        <Sentence text={`${told.charAt(0).toUpperCase()}${told.slice(1)}.`} />
      </p>
      <button
        type="button"
        class="vg-more-button"
        aria-label={`Copy ${code}`}
        onClick={() =>
          void copy(code.endsWith(':') ? `${code}\n    ` : code).then(done =>
            say(done ? 'Copied.' : 'The browser blocked copying.')
          )
        }
      >
        Copy
      </button>{' '}
      <span class="vg-muted" role="status">
        {said}
      </span>
    </div>
  );
}

interface FormulasProps {
  readonly formulas: readonly Formula[];
  /** Of those that can be written as mathematics, once the kernel has told. */
  readonly maths: readonly Mathematics[];
}

export function Formulas({ formulas, maths }: FormulasProps): JSX.Element | null {
  // One source is open at a time: others that are open below it would push it away.
  const group = useId();
  const where = [...new Set(maths.flatMap(made => made.where.split(', ')))].join(', ');
  return formulas.length > 0 ? (
    <section class="vg-part">
      <h4>Formula</h4>
      {formulas.map(({ input, math, source }, i) => {
        const made = maths.find(each => each.input === input);
        return (
          <div key={input} class="vg-formula">
            {made ? <Maths made={made} /> : math && <div class="vg-maths">{math}</div>}
            {source && (
              <details class="vg-source" name={group} open={i === 0 && !made && !math}>
                <summary>source{input && <span class="vg-mono"> for {input}</span>}</summary>
                <pre class="vg-code">{source}</pre>
              </details>
            )}
          </div>
        );
      })}
      {where && <div class="vg-where">{where}</div>}
    </section>
  ) : null;
}

export function Facts({ node }: { node: Node }): JSX.Element {
  const outputs = node.outputs
    .map(({ shape, dtype, batches }) =>
      dtype === 'unknown'
        ? 'not reported by this PyTorch'
        : `${dtype} ${format.batched(shape, batches)}`
    )
    .join(', ');
  const facts: [string, string][] = [
    ['output', outputs],
    ['sequence_nr', node.kind === 'leaf' ? 'leaf' : String(node.sequence_nr)],
    ['hooks', node.hooks.join(', ')]
  ];
  return (
    <dl class="vg-facts">
      {facts
        .filter(([, value]) => value !== '')
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}
