/** What breakpoints that log have written: each with the step that it is about, and a way to clear them. */
import type { JSX } from 'preact';

import type { Logged } from '../../protocol';
import { nodeTitle } from '../../store';
import type { SessionState } from '../../store';
import * as format from '../format';
import { useStore } from '../hooks';

interface LogHeadProps {
  readonly session: SessionState;
  /** Are they shown without the visits? */
  readonly only: boolean;
  choose(only: boolean): void;
}

/** How many there are, in which order, and what can be done about them; nothing where there are none. */
export function LogHead({ session, only, choose }: LogHeadProps): JSX.Element | null {
  const store = useStore();
  const { lines = [], total = 0 } = session.log ?? {};
  if (lines.length === 0) {
    return null;
  }
  const all = format.count(total, 'message');
  const count = lines.length < total ? `last ${lines.length} of ${all}` : all;
  return (
    <div class="vg-log-head">
      <span class="vg-muted">{`${count}, oldest first`}</span>
      <button
        type="button"
        class="vg-link"
        aria-pressed={only}
        onClick={() => choose(!only)}
        title={only ? 'Show the visits, too' : 'Hide the visits'}
      >
        {only ? 'With visits' : 'Messages only'}
      </button>
      {!session.closed && (
        <button
          type="button"
          class="vg-link"
          aria-label="Clear messages"
          title="Clear the messages of all breakpoints"
          onClick={() => {
            choose(false);
            store.actions.clearLog();
          }}
        >
          Clear
        </button>
      )}
    </div>
  );
}

/** All messages that are kept, in the order in which they were written. */
export function Messages(props: {
  readonly session: SessionState;
  readonly lines: readonly Logged[];
}): JSX.Element {
  const { session, lines } = props;
  return (
    <ol class="vg-events" aria-label="Messages">
      {lines.map((message, at) => (
        <Message key={at} session={session} message={message} named />
      ))}
    </ol>
  );
}

interface MessageProps {
  readonly session: SessionState;
  readonly message: Logged;
  /** The name of the node stands before the text. */
  readonly named?: boolean;
}

export function Message({ session, message, named = false }: MessageProps): JSX.Element {
  const store = useStore();
  const { node, text, breakpoint, position, step } = message;
  const title = nodeTitle(session, node);
  return (
    <li class={position <= session.run.position ? 'vg-logged' : 'vg-logged vg-undone'}>
      <button
        type="button"
        data-logged={breakpoint}
        title={`Show ${title}, step ${format.whole(step)}`}
        onClick={() => store.select(node)}
      >
        <span class="vg-log-step">{`#${format.whole(step)}`}</span>{' '}
        {named && <span class="vg-log-node">{`${title} `}</span>}
        {text}
      </button>
    </li>
  );
}
