/** What if: a gradient is changed at a pause, and the run goes on on a branch; the original stays as it is. */
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';

import type { Visit } from '../../protocol';
import { nodeTitle } from '../../store';
import type { DebuggerState, SessionState } from '../../store';
import { fieldKeys } from '../fieldKeys';
import { useCommands, useStore } from '../hooks';
import { Sentence } from '../Sentence';

/** What can be changed about a node where the run stands. */
export type Changeable =
  /** The gradient that waits at node `node`: the one that is looked at, or one that got what that sent. */
  | { readonly what: 'gradient'; readonly node: number; readonly sent: boolean }
  /** It has run, and so have all that it sent something to. */
  | { readonly what: 'past' }
  /** Nothing has arrived yet. */
  | { readonly what: 'early' };

/** `visit`: that of the node, if it has run and is known. */
export function changeable(session: SessionState, node: number, visit: Visit | null): Changeable {
  const { fold, run } = session;
  const waits = (at: number): boolean =>
    at === run.current || fold.waiting.some(buffer => buffer.node === at);
  if (fold.knows(node) && fold.node(node).order === null) {
    return waits(node) ? { what: 'gradient', node, sent: false } : { what: 'early' };
  }
  const sent = (visit?.routed ?? []).flatMap(({ edge }) =>
    edge.node !== null && fold.knows(edge.node) && fold.node(edge.node).order === null
      ? [edge.node]
      : []
  );
  const target = sent.find(each => each === run.current) ?? sent.find(waits);
  return target === undefined ? { what: 'past' } : { what: 'gradient', node: target, sent: true };
}

interface WhatIfProps {
  readonly state: DebuggerState;
  readonly session: SessionState;
  /** The node that is looked at. */
  readonly node: number;
  readonly visit: Visit | null;
}

/** Of a session that can be changed; a trace has no run that could be. */
export function WhatIf({ state, session, node, visit }: WhatIfProps): JSX.Element | null {
  const store = useStore();
  const live = useCommands().has('stop') && !session.closed && state.port.state === 'open';
  if (!live || !session.run.can_change || session.run.within !== null) {
    return null;
  }
  const found = changeable(session, node, visit);
  if (found.what === 'gradient') {
    return <Change key={found.node} {...{ state, session }} {...found} />;
  }
  if (found.what === 'early' || session.run.status === 'failed') {
    return null;
  }
  const title = nodeTitle(session, node);
  return (
    <section class="vg-part vg-what-if">
      <h4>What if</h4>
      {session.run.one_way ? (
        <p class="vg-muted">
          {`${title} has run, and PyTorch runs a node only once. To change its gradient, run the cell again and stop before it.`}
        </p>
      ) : (
        <p class="vg-muted">
          {`${title} has run. `}
          <button type="button" class="vg-link" onClick={() => store.actions.runTo(node)}>
            Go back to before it
          </button>
          {' to change its gradient.'}
        </p>
      )}
    </section>
  );
}

const ONCE = 'PyTorch runs a node only once, and the next one has run already.';

interface ChangeProps {
  readonly state: DebuggerState;
  readonly session: SessionState;
  /** The node at which the gradient waits. */
  readonly node: number;
  readonly sent: boolean;
}

function Change({ state, session, node, sent }: ChangeProps): JSX.Element {
  const store = useStore();
  const [value, setValue] = useState('');
  const { run } = session;
  const refused = state.refused?.request.type === 'set_grad' ? state.refused : null;
  // What was refused is put right, not typed again.
  useEffect(() => {
    if (refused?.request.type === 'set_grad' && refused.request.node === node) {
      setValue(refused.request.value);
    }
  }, [refused]);
  const title = nodeTitle(session, node);
  const over = run.one_way && run.position < run.recorded;
  const change = (event: Event): void => {
    event.preventDefault();
    if (value.trim() !== '' && !over) {
      store.actions.changeGradient(node, value.trim());
      setValue('');
    }
  };
  const clear = (): boolean => {
    setValue('');
    store.forgive();
    return value !== '';
  };
  const ask = sent ? `What if the gradient sent to ${title} were` : 'What if this gradient were';
  return (
    <section class="vg-part vg-what-if">
      <h4>{ask}</h4>
      <form
        class="vg-stop-add"
        aria-label="What if"
        onSubmit={change}
        onKeyDown={event => fieldKeys(event, clear)}
      >
        <input
          type="text"
          aria-label={`New gradient of ${title}`}
          aria-invalid={refused !== null}
          {...(over ? { 'aria-description': ONCE } : {})}
          placeholder="g * 0.5, zero, nan to 0, clip to 1"
          spellcheck={false}
          disabled={over}
          value={value}
          onInput={event => {
            setValue(event.currentTarget.value);
            store.forgive();
          }}
        />
        <button type="submit" disabled={value.trim() === '' || over}>
          Apply
        </button>
      </form>
      {refused && (
        <p class="vg-refused" role="alert">
          <Sentence text={refused.text} />
        </p>
      )}
      {run.one_way && !over && (
        <p class="vg-muted">
          PyTorch runs a node only once: a change can be undone until a node has run.
        </p>
      )}
      {over && (
        <p class="vg-muted">
          {`${ONCE} `}
          <button type="button" class="vg-link" onClick={() => store.actions.seek(run.recorded)}>
            Go to the last step
          </button>
        </p>
      )}
    </section>
  );
}
