/** The visits in the order they ran. A click goes to the moment after one. */
import { Fragment } from 'preact';
import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

import type { Edit, VisitLine } from '../../protocol';
import { editsOf, nodeTitle } from '../../store';
import type { SessionState, Window } from '../../store';
import * as format from '../format';
import { useStore } from '../hooks';
import { keyText } from '../shortcuts';
import { LogHead, Message, Messages } from './LogMessages';
import { NodeName } from './NodeLink';

/** Rows around the present position that are drawn, and that are searched: a history may be long. */
const AROUND = 100;
const SEARCHED = 1000;

interface EventsProps {
  readonly session: SessionState;
  readonly running: boolean;
}

export function Events({ session, running }: EventsProps): JSX.Element {
  const store = useStore();
  const list = useRef<HTMLOListElement>(null);
  const [filter, setFilter] = useState('');
  const [only, setOnly] = useState(false);
  const { run, history } = session;
  const letters = filter.trim().toLowerCase();

  const shown = around(run.position, letters === '' ? AROUND : SEARCHED, run.recorded);
  const { first, count } = shown;
  useEffect(() => {
    store.watchVisits({ first, count });
  }, [store, session.session, first, count]);
  useEffect(() => () => store.watchVisits(null), [store]);

  useEffect(() => {
    // Only the list scrolls: `scrollIntoView` would move the whole notebook.
    const here = list.current?.querySelector<HTMLElement>('[aria-current="step"]');
    const box = list.current?.closest('.vg-region-body');
    if (here && box instanceof HTMLElement && box.scrollHeight > box.clientHeight) {
      const row = here.getBoundingClientRect();
      const frame = box.getBoundingClientRect();
      if (row.bottom > frame.bottom) {
        box.scrollTop += row.bottom - frame.bottom + row.height;
      } else if (row.top < frame.top + row.height) {
        box.scrollTop -= frame.top - row.top + 2 * row.height;
      }
    }
  }, [run.position]);

  const messages = session.log?.lines ?? [];
  const log = <LogHead session={session} only={only} choose={setOnly} />;
  if (messages.length > 0 && (only || run.recorded === 0)) {
    return (
      <>
        {log}
        <Messages session={session} lines={messages} />
      </>
    );
  }
  if (run.recorded === 0 && running) {
    return <p class="vg-empty">Running. The visits are listed when the run pauses.</p>;
  }
  if (run.recorded === 0) {
    return (
      <p class="vg-empty">{`No node has run yet: Step (${keyText('step')}) runs the first.`}</p>
    );
  }
  const lines = Array.from({ length: count }, (_, i) => history.line(first + i));
  const known = lines.filter(line => line !== undefined);
  const matching =
    letters === ''
      ? known
      : nearest(
          known.filter(({ node }) => nodeTitle(session, node).toLowerCase().includes(letters)),
          run.position
        );
  const saidIn = (step: number): readonly JSX.Element[] =>
    messages
      .filter(message => message.step === step)
      .map((message, at) => <Message key={`message ${at}`} session={session} message={message} />);
  const edits = editsOf(run);
  const changedAt = (place: number): readonly JSX.Element[] =>
    edits
      .filter(({ position }) => position === place)
      .map((edit, at) => <Changed key={`change ${at}`} edit={edit} />);
  const later = run.recorded - first - count;
  const [before, behind] = letters === '' ? ['earlier', 'later'] : NOT_SEARCHED;
  return (
    <>
      {log}
      {run.recorded > 12 && (
        <input
          class="vg-filter"
          type="text"
          aria-label="Filter events"
          placeholder="Filter"
          spellcheck={false}
          value={filter}
          onInput={event => setFilter(event.currentTarget.value)}
          onKeyDown={event => {
            if (event.key === 'Escape' && filter !== '') {
              setFilter('');
              event.stopPropagation();
            }
          }}
        />
      )}
      <ol
        class="vg-events"
        ref={list}
        aria-label="Visits"
        style={{ '--vg-digits': format.whole(run.recorded).length }}
      >
        {first > 0 && <li class="vg-muted">{`${first} ${before}`}</li>}
        {first === 0 && changedAt(0)}
        {matching.map(line => (
          <Fragment key={line.index}>
            <Line session={session} line={line} />
            {session.drawing.collectives
              .filter(({ step, end }) => (end ?? step) === line.index)
              .map(called => (
                <li
                  key={`${called.group} ${called.number}`}
                  class={line.index < run.position ? 'vg-logged' : 'vg-logged vg-undone'}
                  data-collective={called.number}
                >
                  {called.rows.join(', ')}
                </li>
              ))}
            {saidIn(line.index + 1)}
            {changedAt(line.index + 1)}
          </Fragment>
        ))}
        {known.length < count && (
          <li class="vg-muted vg-loading">
            {`Asking the kernel for ${format.count(count - known.length, 'visit')}…`}
          </li>
        )}
        {later > 0 && <li class="vg-muted">{`${later} ${behind}`}</li>}
        {later === 0 && saidIn(run.recorded + 1)}
      </ol>
    </>
  );
}

const NOT_SEARCHED = ['earlier, not searched', 'later, not searched'] as const;

function Line({ session, line }: { session: SessionState; line: VisitLine }): JSX.Element {
  const store = useStore();
  const { index, node, norm } = line;
  const { position } = session.run;
  const done = index < position;
  const made = done ? format.madeAt(session.visits.get(node)) : null;
  return (
    <li class={done ? 'vg-event' : 'vg-event vg-undone'}>
      <button
        type="button"
        data-event={index}
        aria-current={index === position - 1 ? 'step' : undefined}
        title={
          done ? 'Go back to the step after this node' : 'Go forward to the step after this node'
        }
        onClick={() => store.actions.seek(index + 1)}
      >
        <span class="vg-event-index">{format.whole(index + 1)}</span>{' '}
        <NodeName session={session} node={node} />{' '}
        {made !== null && <span class="vg-norm vg-odd">{`made ${format.brief(made)}`}</span>}
        {done && made === null && norm !== null && (
          <span
            class={Number.isFinite(norm) ? 'vg-norm' : 'vg-norm vg-odd'}
            title="Norm of the incoming gradient"
          >
            {format.brief(norm)}
          </span>
        )}
        {!done && <span class="vg-muted">undone</span>}
      </button>
    </li>
  );
}

/** A change of the user's, below the visit after which it was made. */
function Changed({ edit }: { readonly edit: Edit }): JSX.Element {
  const store = useStore();
  return (
    <li class="vg-logged" data-changed={edit.node ?? ''}>
      <button
        type="button"
        disabled={edit.node === null}
        onClick={() => edit.node !== null && store.select(edit.node)}
      >
        {`changed by you: ${edit.text}`}
      </button>
    </li>
  );
}

/** The visits that lie so near, of those that were ever done. */
function around(position: number, reach: number, recorded: number): Window {
  const first = Math.max(0, position - reach);
  return { first, count: Math.max(Math.min(position + reach, recorded) - first, 0) };
}

/** Not all that match are drawn, either. */
function nearest(lines: readonly VisitLine[], position: number): readonly VisitLine[] {
  const found = lines.findIndex(({ index }) => index >= position);
  const middle = found < 0 ? lines.length : found;
  return lines.slice(Math.max(0, middle - AROUND), middle + AROUND);
}
