/** Where the run stands within the visit of a node: its stages, and the lines of a person's that run in them. */
import type { JSX } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

import type { CodeStep, StageRecord, Within } from '../../protocol';
import { nodeTitle } from '../../store';
import type { SessionState } from '../../store';
import * as format from '../format';
import { PlaceLink } from '../PlaceLink';
import { showWithin } from '../showWithin';
import { STAGE_NAMES } from './Stages';

export function insideNote(session: SessionState): string {
  const { within } = session.run;
  if (!within) {
    return '';
  }
  const { node, done, stages } = within;
  return `${nodeTitle(session, node)} · ${done} of ${format.count(stages.length, 'stage')} done`;
}

export function Inside({ within }: { within: Within }): JSX.Element {
  const { stages, code, done } = within;
  const line = followingLine(within);
  const list = useRef<HTMLOListElement>(null);
  useLayoutEffect(() => {
    if (list.current) {
      showWithin(list.current, '[aria-current]');
    }
  }, [within]);
  return (
    <ol ref={list} class="vg-inside" aria-label="Stages of the visit">
      {stages.map((stage, number) => (
        <li key={number} class="vg-inside-stage">
          <Stage stage={stage} stands={standing(number, done, line !== null)} />
          {code.some(step => step.stage === number) && (
            <ol class="vg-inside-lines" aria-label={`Lines of ${nameOf(stage)}`}>
              {code.map((step, at) =>
                step.stage === number ? (
                  <Line key={at} step={step} stands={standing(at, within.lines, line !== at)} />
                ) : null
              )}
            </ol>
          )}
        </li>
      ))}
    </ol>
  );
}

/** The number of the line that comes next; null where a stage does. */
function followingLine({ code, lines, done }: Within): number | null {
  const step = code[lines];
  return step && step.stage <= done ? lines : null;
}

type Stands = 'done' | 'next' | 'waits';

/** `other`: something else comes next. */
function standing(at: number, done: number, other: boolean): Stands {
  if (at < done) {
    return 'done';
  }
  return at === done && !other ? 'next' : 'waits';
}

const SIGNS: Readonly<Record<Stands, string>> = { done: '✓', next: '▸', waits: '' };
const WORDS: Readonly<Record<Stands, string>> = { done: 'done', next: 'next', waits: 'not yet' };

function Sign({ stands }: { stands: Stands }): JSX.Element {
  return (
    <span class="vg-inside-sign" role="img" aria-label={WORDS[stands]} title={WORDS[stands]}>
      {SIGNS[stands]}
    </span>
  );
}

function Stage({ stage, stands }: { stage: StageRecord; stands: Stands }): JSX.Element {
  return (
    <div
      class="vg-inside-row"
      data-stands={stands}
      {...(stands === 'next' ? { 'aria-current': 'step' } : {})}
    >
      <Sign stands={stands} />
      <span class="vg-stage-name">{nameOf(stage)}</span>
      <span class="vg-muted vg-inside-detail">{stage.detail}</span>
    </div>
  );
}

function nameOf({ stage }: StageRecord): string {
  return (STAGE_NAMES as Readonly<Record<string, string>>)[stage] ?? stage;
}

function Line({ step, stands }: { step: CodeStep; stands: Stands }): JSX.Element {
  const { place, values } = step;
  return (
    <li
      class="vg-inside-row"
      data-stands={stands}
      {...(stands === 'next' ? { 'aria-current': 'step' } : {})}
    >
      <Sign stands={stands} />
      <code class="vg-inside-text">{place.text}</code>
      <span class="vg-muted vg-inside-where">
        <PlaceLink text={format.place(place)} />
      </span>
      {stands === 'done' && values.length > 0 && (
        <span class="vg-inside-values">
          {values.map(({ name, value }) => (
            <span key={name} title={format.tensor(value)}>
              <b>{name}</b>{' '}
              {value.values?.length === 1
                ? format.number(value.values[0] ?? null)
                : `‖·‖ ${format.number(value.norm)}`}
            </span>
          ))}
        </span>
      )}
    </li>
  );
}
