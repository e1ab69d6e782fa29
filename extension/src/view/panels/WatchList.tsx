/** Expressions that the user watches, with their values where the run stands; errors stand beside them. */
import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

import type { Watched } from '../../protocol';
import type { DebuggerState, SessionState } from '../../store';
import { fieldKeys } from '../fieldKeys';
import * as format from '../format';
import { useStore } from '../hooks';
import { Sentence } from '../Sentence';
import { TensorCard } from './TensorCard';

export function watchNote({ watches }: SessionState): string {
  return watches && watches.watched.length > 0 ? `${watches.watched.length} watched` : '';
}

interface WatchListProps {
  readonly state: DebuggerState;
  readonly session: SessionState;
}

export function WatchList({ state, session }: WatchListProps): JSX.Element {
  const store = useStore();
  const [editing, edit] = useState<number | null>(null);
  const list = useRef<HTMLUListElement>(null);
  /** The entry whose field was closed: the focus returns to it. */
  const edited = useRef<number | null>(null);
  useEffect(() => {
    store.watchExpressions(true);
    return () => store.watchExpressions(false);
  }, [store]);
  const { watches, closed } = session;
  if (!watches) {
    return <p class="vg-empty vg-loading">Asking the kernel for the values…</p>;
  }
  const { refused } = state;
  const adding = refused?.request.type === 'add_watch' ? refused : null;
  /** Where the focus was there is nothing any more: it goes to the entry that has come there. */
  const remove = (watch: number, at: number): void => {
    store.actions.removeWatch(watch);
    const rows = list.current?.querySelectorAll<HTMLElement>('.vg-watch-expression');
    (rows?.[at + 1] ?? rows?.[at - 1])?.focus();
  };
  return (
    <div class="vg-watches">
      <ul ref={list} class="vg-watch-list" aria-label="Watched expressions">
        {watches.watched.map((watched, at) => {
          const { id, expression } = watched;
          const wrong =
            refused?.request.type === 'edit_watch' && refused.request.watch === id
              ? refused.request.expression
              : null;
          return (
            <li key={id} class="vg-watch" data-watch={id}>
              {editing === id || wrong !== null ? (
                <Field
                  label={`Edit ${expression}`}
                  begin={expression}
                  button="Apply"
                  refused={wrong === null ? null : refused}
                  typed={wrong}
                  apply={text => store.actions.editWatch(id, text)}
                  done={() => {
                    edit(null);
                    edited.current = id;
                  }}
                  closes
                />
              ) : (
                <Row
                  watched={watched}
                  open={!closed}
                  edited={edited}
                  edit={() => edit(id)}
                  remove={() => remove(id, at)}
                />
              )}
            </li>
          );
        })}
      </ul>
      {!closed && (
        <Field
          label="Expression to watch"
          begin=""
          button="Add"
          refused={adding}
          typed={adding?.request.type === 'add_watch' ? adding.request.expression : null}
          apply={text => store.actions.addWatch(text)}
        />
      )}
    </div>
  );
}

interface RowProps {
  readonly watched: Watched;
  readonly open: boolean;
  readonly edited: { current: number | null };
  edit(): void;
  remove(): void;
}

function Row({ watched, open, edited, edit, remove }: RowProps): JSX.Element {
  const { id, expression, text, summary, error } = watched;
  const [wide, setWide] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (edited.current === id) {
      edited.current = null;
      button.current?.focus();
    }
  }, [edited, id]);
  const keydown = (event: KeyboardEvent): void => {
    if (open && (event.key === 'Enter' || event.key === 'F2')) {
      edit();
    } else if (open && (event.key === 'Delete' || event.key === 'Backspace')) {
      remove();
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <>
      <div class="vg-watch-line">
        <button
          ref={button}
          type="button"
          class="vg-watch-expression vg-mono"
          title={open ? 'Edit (Enter); remove (Delete)' : expression}
          aria-label={`Edit ${expression}`}
          disabled={!open}
          onClick={edit}
          onKeyDown={keydown}
        >
          {expression}
        </button>
        <span class="vg-watch-value">
          {error !== '' ? (
            <span class="vg-refused">
              <Sentence text={error} />
            </span>
          ) : summary ? (
            <button
              type="button"
              class="vg-watch-tensor vg-mono"
              aria-expanded={wide}
              aria-label={`Details of ${expression}: ${inLine(summary)}`}
              onClick={() => setWide(!wide)}
            >
              {inLine(summary)}
            </button>
          ) : (
            <span class="vg-mono">{text}</span>
          )}
        </span>
        <button
          type="button"
          class="vg-stop-remove"
          aria-label={`Remove ${expression}`}
          title="Remove"
          disabled={!open}
          onClick={remove}
        >
          ×
        </button>
      </div>
      {wide && summary && <TensorCard title="" summary={summary} />}
    </>
  );
}

type Summary = NonNullable<Watched['summary']>;

/** A tensor in a line: its values if they are few, else how large it is. */
function inLine(summary: Summary): string {
  const { norm, nans, infs, values, min, max } = summary;
  const odd = [nans > 0 ? `${nans} NaN` : '', infs > 0 ? `${infs} inf` : ''];
  const complex = summary.dtype.startsWith('complex');
  const few = values !== null && values.length > 0 && values.length <= FEW;
  const range =
    min !== null && max !== null && !few ? `${format.number(min)} … ${format.number(max)}` : '';
  const said = few
    ? `${complex ? '|z| = ' : ''}${listed(values, summary.shape)}`
    : norm === null
      ? ''
      : `norm ${format.number(norm)}`;
  return [format.tensor(summary), said, range, ...odd].filter(Boolean).join('  ');
}

const FEW = 4;

function listed(values: readonly number[], shape: readonly number[]): string {
  const written = values.map(value => format.number(value)).join(', ');
  return shape.length === 0 ? written : `[${written}]`;
}

interface FieldProps {
  readonly label: string;
  readonly begin: string;
  readonly button: string;
  readonly refused: DebuggerState['refused'];
  /** What was refused is put right, not typed again. */
  readonly typed: string | null;
  /** It is there for one change. */
  readonly closes?: boolean;
  apply(text: string): void;
  done?(): void;
}

function Field(props: FieldProps): JSX.Element {
  const { label, begin, button, refused, typed, closes = false, apply, done } = props;
  const store = useStore();
  const [text, setText] = useState(begin);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (closes) {
      field.current?.focus();
      field.current?.select();
    }
  }, [closes]);
  useEffect(() => {
    if (typed !== null) {
      setText(typed);
    }
  }, [typed, refused]);
  const submit = (event: Event): void => {
    event.preventDefault();
    if (text.trim() !== '') {
      apply(text.trim());
      setText(closes ? text : '');
      done?.();
    }
  };
  const cancel = (): boolean => {
    store.forgive();
    setText(begin);
    done?.();
    return closes || text !== begin;
  };
  return (
    <form
      class="vg-stop-add"
      aria-label={label}
      onSubmit={submit}
      onKeyDown={event => fieldKeys(event, cancel)}
    >
      <input
        ref={field}
        type="text"
        aria-label={label}
        aria-invalid={refused !== null}
        placeholder="w.grad.norm()"
        spellcheck={false}
        value={text}
        onInput={event => {
          setText(event.currentTarget.value);
          store.forgive();
        }}
      />
      <button type="submit" disabled={text.trim() === ''}>
        {button}
      </button>
      {refused && (
        <p class="vg-refused" role="alert">
          <Sentence text={refused.text} />
        </p>
      )}
    </form>
  );
}
