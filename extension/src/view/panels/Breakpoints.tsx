/** Where Continue stops: all that was set, whether it is on, and how often it came about. */
import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

import type { Breakpoint, BreakpointKind } from '../../protocol';
import type { SessionState } from '../../store';
import { fieldKeys } from '../fieldKeys';
import * as format from '../format';
import { useObservable, useStore } from '../hooks';
import { PlaceLink } from '../PlaceLink';
import { Sentence } from '../Sentence';

/** What each kind asks for, and an example. One node is chosen in the graph: the view shows no numbers for nodes. */
type TypedKind = Exclude<BreakpointKind, 'node'>;
const KINDS: Record<TypedKind, readonly [name: string, example: string]> = {
  op: ['Node name', 'Mul*'],
  line: ['Line', 'train.py:7'],
  tensor: ['Leaf', 'weight'],
  data: ['Write to leaf', 'weight'],
  when: ['Any node if', 'grad.norm > 1e3']
};

export function breakpointsNote({ run }: SessionState): string {
  const set = run.breakpoint_list;
  const off = set.filter(({ enabled }) => !enabled).length;
  return set.length === 0 ? 'none set' : `${set.length} set${off > 0 ? `, ${off} off` : ''}`;
}

export function Breakpoints({ session }: { session: SessionState }): JSX.Element {
  const store = useStore();
  const { run, closed } = session;
  const [adding, setAdding] = useState(false);
  const open = !closed;
  return (
    <div class="vg-stops">
      <ul class="vg-stop-list" aria-label="Breakpoints set">
        <li class="vg-stop">
          <label>
            <input
              type="checkbox"
              checked={run.nonfinite}
              disabled={!open}
              onChange={event => store.actions.stopAtNonfinite(event.currentTarget.checked)}
            />{' '}
            first NaN or Inf
          </label>
        </li>
        {run.breakpoint_list.map(each => (
          <Line key={each.id} breakpoint={each} session={session} />
        ))}
      </ul>
      {open && !adding && (
        <button type="button" class="vg-link" onClick={() => setAdding(true)}>
          New breakpoint
        </button>
      )}
      {open && adding && <Add done={() => setAdding(false)} />}
    </div>
  );
}

interface LineProps {
  readonly breakpoint: Breakpoint;
  readonly session: SessionState;
}

function Line({ breakpoint, session }: LineProps): JSX.Element {
  const store = useStore();
  const open = !session.closed;
  const { id, condition, hits, hit, enabled, nodes, place, kind, log, refused } = breakpoint;
  const [first] = nodes;
  // The kernel numbers nodes otherwise than the view, which counts steps.
  const named = kind === 'node' && first !== undefined ? session.names.of(first) : undefined;
  const text = named ? [named.name, named.label].filter(Boolean).join(' ') : breakpoint.text;
  const where = kind === 'line' && place ? format.place(place) : null;
  const asks = condition !== '' && kind !== 'when' ? ` if ${condition}` : '';
  return (
    <li class={enabled ? 'vg-stop' : 'vg-stop vg-stop-off'} data-breakpoint={id}>
      <label>
        <input
          type="checkbox"
          aria-label={log === '' ? `Pause at ${text}` : `Log at ${text}`}
          checked={enabled}
          disabled={!open}
          onChange={event => store.actions.enableBreakpoint(id, event.currentTarget.checked)}
        />{' '}
        {where === null && text}
      </label>
      {where !== null && <PlaceLink text={where} />}
      {asks !== '' && <span class="vg-stop-if">{asks}</span>}
      {log !== '' && <span class="vg-stop-log">{`logs ${log}`}</span>}
      <span class="vg-stop-hits">
        {hits > 0 ? `${hit} of ${format.count(hits, 'time')}` : format.count(hit, 'time')}
      </span>
      {first !== undefined && (
        <button
          type="button"
          class="vg-link"
          aria-label={`Show the first node of ${text}`}
          onClick={() => store.select(first)}
        >
          show
        </button>
      )}
      <button
        type="button"
        class="vg-stop-remove"
        aria-label={`Remove breakpoint ${text}`}
        title="Remove"
        disabled={!open}
        onClick={() => store.actions.removeBreakpoint(id)}
      >
        ×
      </button>
      {refused !== '' && (
        <p class="vg-refused">
          <Sentence text={refused} />
        </p>
      )}
    </li>
  );
}

function Add({ done }: { done: () => void }): JSX.Element {
  const store = useStore();
  const refused = useObservable(store.state).refused;
  const why = refused?.request.type === 'add_breakpoint' ? refused : null;
  const first = useRef<HTMLSelectElement>(null);
  useEffect(() => first.current?.focus(), []);
  const [kind, setKind] = useState<TypedKind>('op');
  const [text, setText] = useState('');
  const [condition, setCondition] = useState('');
  const [hits, setHits] = useState('');
  const [log, setLog] = useState('');
  const [, example] = KINDS[kind];
  // What was refused is put right, not typed again.
  useEffect(() => {
    if (why?.request.type === 'add_breakpoint') {
      setText(why.request.text);
      setCondition(why.request.condition);
      setLog(why.request.log);
    }
  }, [why]);
  const add = (event: Event): void => {
    event.preventDefault();
    if (text.trim() === '') {
      return;
    }
    const asked = kind === 'when' || kind === 'data' ? '' : condition.trim();
    store.actions.addBreakpoint(kind, text.trim(), {
      condition: asked,
      hits: Math.max(0, Math.floor(Number(hits)) || 0),
      log: log.trim()
    });
    setText('');
    setCondition('');
    setHits('');
    setLog('');
  };
  const close = (): boolean => {
    done();
    return true;
  };
  return (
    <form
      class="vg-stop-add"
      aria-label="New breakpoint"
      onSubmit={add}
      onKeyDown={event => fieldKeys(event, close)}
      onInput={() => store.forgive()}
    >
      <select
        ref={first}
        aria-label="Kind of breakpoint"
        value={kind}
        onChange={event => setKind(event.currentTarget.value as TypedKind)}
      >
        {(Object.keys(KINDS) as TypedKind[]).map(each => (
          <option key={each} value={each}>
            {KINDS[each][0]}
          </option>
        ))}
      </select>
      <input
        type="text"
        aria-label="Where to pause"
        placeholder={example}
        spellcheck={false}
        value={text}
        onInput={event => setText(event.currentTarget.value)}
      />
      {kind !== 'when' && kind !== 'data' && (
        <input
          type="text"
          aria-label="Condition"
          placeholder="if grad.norm > 1e3"
          spellcheck={false}
          value={condition}
          onInput={event => setCondition(event.currentTarget.value.replace(/^\s*if\s+/, ''))}
        />
      )}
      <input
        type="number"
        min="1"
        aria-label="Hit count"
        placeholder="hits"
        value={hits}
        onInput={event => setHits(event.currentTarget.value)}
      />
      <input
        type="text"
        aria-label="Log message"
        title="Write this message and do not pause"
        placeholder="log norm {grad.norm()}"
        spellcheck={false}
        value={log}
        onInput={event => setLog(event.currentTarget.value.replace(/^\s*log\s+/, ''))}
      />
      <button type="submit" disabled={text.trim() === ''}>
        Add
      </button>
      <button type="button" onClick={done}>
        Close
      </button>
      {why && (
        <p class="vg-refused" role="alert">
          <Sentence text={why.text} />
        </p>
      )}
    </form>
  );
}
