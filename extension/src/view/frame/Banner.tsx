/** What a person must know now: errors, a kernel that does not answer, a closed session. */
import type { JSX } from 'preact';

import type { DebuggerState } from '../../store';
import * as format from '../format';
import { useCommands, useStore } from '../hooks';
import { Icon } from '../Icons';
import { Sentence } from '../Sentence';
import { Fault } from './Fault';

interface Line {
  readonly level: 'error' | 'warning' | 'info';
  readonly text: string;
  readonly action?: 'retry' | 'dismiss';
  /** The node that it is about. */
  readonly node?: number | null;
  /** Of that node it can be asked why. */
  readonly asks?: boolean;
  /** Something went wrong: what, where and what to do are told apart. */
  readonly fault?: boolean;
}

export function Banner({ state }: { state: DebuggerState }): JSX.Element {
  const store = useStore();
  const commands = useCommands();
  return (
    <>
      {linesOf(state).map(({ level, text, action, node = null, fault = false, asks = false }) => (
        <div
          key={text}
          class="vg-banner"
          data-level={level}
          role={level === 'error' ? 'alert' : 'status'}
        >
          <Icon name={level === 'info' ? 'info' : 'warning'} />
          {fault ? (
            <Fault text={text} node={named(state, node)} />
          ) : (
            <span class="vg-banner-text">
              <Sentence text={text} />
              {node !== null && node !== state.view.selection && (
                <>
                  {' '}
                  <button type="button" class="vg-link" onClick={() => store.select(node)}>
                    {`Show ${named(state, node)?.name ?? 'the node'}`}
                  </button>
                </>
              )}
            </span>
          )}
          {asks && node !== null && commands.has('why') && (
            <button
              type="button"
              class="vg-button vg-labelled"
              onClick={() => store.actions.askWhy(node)}
            >
              Why?
            </button>
          )}
          {action === 'retry' && (
            <button type="button" class="vg-button vg-labelled" onClick={() => store.retry()}>
              Try again
            </button>
          )}
          {action === 'dismiss' && (
            <button
              type="button"
              class="vg-button"
              aria-label="Dismiss"
              onClick={() => store.dismiss()}
            >
              <Icon name="close" />
            </button>
          )}
        </div>
      ))}
    </>
  );
}

/** Does it offer Why? for this node? Then nothing beside it offers the same once more. */
export function asksWhy(state: DebuggerState, node: number | null): boolean {
  return node !== null && linesOf(state).some(line => line.asks === true && line.node === node);
}

/** Does the browser know that it has no network? It is the first to know. */
function offline(): boolean {
  return typeof navigator !== 'undefined' && !navigator.onLine;
}

function linesOf({ port, patience, working, session, notice }: DebuggerState): Line[] {
  const lines: Line[] = [];
  if (port.state === 'closed' && session) {
    lines.push({
      level: 'error',
      text: port.reason ?? 'The connection to the kernel is closed. Run the cell again.'
    });
  } else if (port.state === 'connecting' && session) {
    lines.push({ level: 'warning', text: port.reason ?? 'Connecting to the kernel…' });
  } else if (patience !== 'answered' && patience !== 'waiting' && offline()) {
    lines.push({ level: 'warning', text: 'No connection to the server. Trying again…' });
  } else if (working || session?.closed) {
    // It is at work, and says at what; of a session that is closed nothing is waited for.
  } else if (patience === 'silent') {
    lines.push({
      level: 'error',
      text:
        'The kernel has not answered for 10 seconds. It is busy with a cell, or dead. ' +
        'Interrupt or restart the kernel, then try again.',
      action: 'retry'
    });
  } else if (patience === 'slow') {
    lines.push({
      level: 'info',
      text: 'Waiting for the kernel: it is busy, probably with a cell.'
    });
  }
  // In the view that asked for the step, the kernel's reply tells the same once more.
  const failure = session?.run.error.trim() ?? '';
  if (notice && !(failure && notice.text.startsWith(failure))) {
    const { level, text } = notice;
    lines.push({ level, text, action: 'dismiss', fault: text.includes('\n') });
  }
  const stopped = session?.run.stopped;
  const canAsk = port.state === 'open' && session?.closed === false;
  if (session && failure) {
    const { history, run } = session;
    const node = stopped?.node ?? history.node(run.position - 1) ?? null;
    lines.push({ level: 'error', text: failure, node, fault: true, asks: canAsk });
  }
  if (stopped && stopped.kind !== 'error') {
    const { kind, text, node } = stopped;
    const odd = kind === 'nonfinite';
    lines.push({ level: odd ? 'error' : 'info', text, node, asks: odd && canAsk });
  }
  if (session?.closed) {
    const { ending } = session.run;
    lines.push({
      level: 'info',
      text: `This session is closed${ending && ': '}${ending}. What it showed last stays readable.`
    });
  }
  if (session && session.truncated > 0) {
    lines.push({
      level: 'warning',
      text: `The graph is larger than the limit: ${format.count(session.truncated, 'node is', 'nodes are')} not shown.`
    });
  }
  return lines;
}

function named(
  { session }: DebuggerState,
  node: number | null
): { id: number; name: string } | null {
  return node === null ? null : { id: node, name: session?.names.of(node)?.name ?? `node ${node}` };
}
