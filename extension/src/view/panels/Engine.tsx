/** The engine between two visits: the ready queue, who waits for what, and the input buffers. */
import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';

import type { Buffer } from '../../protocol';
import type { SessionState } from '../../store';
import * as format from '../format';
import { NodeLink } from './NodeLink';
import { whyNext, whyNot } from './why';

const SHOWN = 40;

interface EngineProps {
  readonly session: SessionState;
  /** The node that is running now; null: the run stands still. */
  readonly running: number | null;
}

export const engineNote = (session: SessionState, running: number | null): string =>
  hasPassed(session, running) ? 'running' : `${session.fold.readyCount} ready`;

/** Has the run gone on from where it stood? Then the queue and the buffers are not those of now. */
const hasPassed = ({ run }: SessionState, running: number | null): boolean =>
  running !== null && running !== run.current;

export function Engine({ session, running }: EngineProps): JSX.Element {
  return (
    <div class="vg-engine">
      {running !== null && (
        <p class="vg-why">
          <b>Running</b> <NodeLink session={session} node={running} />
        </p>
      )}
      {hasPassed(session, running) ? (
        <p class="vg-muted">The queue and the buffers are shown when the run pauses or ends.</p>
      ) : (
        <Between session={session} running={running} />
      )}
    </div>
  );
}

/** As the last visit has left it. */
function Between({ session, running }: EngineProps): JSX.Element {
  const { run, fold } = session;
  const ready = useMemo(() => fold.queue, [fold, run]);
  const buffers = useMemo(() => fold.waiting, [fold, run]);
  const waiting = useMemo(
    () =>
      fold.reached.toSorted(
        (a, b) => b.delivered / b.needed - a.delivered / a.needed || a.node - b.node
      ),
    [fold, run]
  );
  const [first] = run.status === 'paused' ? ready : [];
  const untouched = fold.count('waiting') - waiting.length;
  return (
    <>
      {running === null && first && (
        <p class="vg-why">
          <b>Next</b> is <NodeLink session={session} node={first.node} />{' '}
          <span class="vg-why-so">{whyNext(ready)}</span>
        </p>
      )}
      <h4>Ready queue</h4>
      {ready.length === 0 ? (
        <p class="vg-muted">
          {run.status === 'finished' ? 'Empty: the backward is finished.' : 'Empty.'}
        </p>
      ) : (
        <ol class="vg-queue" aria-label="Ready queue">
          {ready.slice(0, SHOWN).map(({ node, priority }, i) => (
            <li key={node} title={priority === null ? undefined : `Sequence number ${priority}`}>
              <span class="vg-queue-place">
                {i > 0 ? i + 1 : running === null ? 'next' : 'now'}
              </span>{' '}
              <NodeLink session={session} node={node} />{' '}
              {priority === null && <span class="vg-norm">leaf</span>}
            </li>
          ))}
          <More hidden={ready.length - SHOWN} />
        </ol>
      )}
      <h4>Waiting for gradients</h4>
      <ul class="vg-waiting" aria-label="Waiting nodes">
        {waiting.slice(0, SHOWN).map(({ node, delivered, needed }) => (
          <li key={node}>
            <NodeLink session={session} node={node} />{' '}
            <span class="vg-norm">{whyNot(delivered, needed)}</span>
          </li>
        ))}
        <More hidden={waiting.length - SHOWN} />
        {(untouched > 0 || waiting.length === 0) && (
          <li class="vg-muted">
            {untouched > 0 ? `${format.count(untouched, 'node')} with no gradient yet` : 'None.'}
          </li>
        )}
      </ul>
      <h4>Input buffers</h4>
      {buffers.length === 0 ? (
        <p class="vg-muted">All empty.</p>
      ) : (
        <ul class="vg-buffers" aria-label="Input buffers">
          {buffers.slice(0, SHOWN).map(buffer => (
            <BufferLine
              key={`${buffer.node} ${buffer.input_nr}`}
              session={session}
              buffer={buffer}
            />
          ))}
          <More hidden={buffers.length - SHOWN} />
        </ul>
      )}
    </>
  );
}

function BufferLine({ session, buffer }: { session: SessionState; buffer: Buffer }): JSX.Element {
  const { node, input_nr, value } = buffer;
  // Of one that is not drawn it is not known how many slots it has.
  const slots = session.nodes.get(node)?.outputs.length ?? input_nr + 1;
  return (
    <li title={value ? format.tensor(value) : 'undefined'}>
      <NodeLink session={session} node={node} />{' '}
      {slots > 1 && <span class="vg-muted">slot {input_nr} </span>}
      <span class="vg-norm">{value ? `‖g‖ ${format.brief(value.norm)}` : 'undefined'}</span>
    </li>
  );
}

function More({ hidden }: { hidden: number }): JSX.Element | null {
  return hidden > 0 ? <li class="vg-muted">{`and ${hidden} more`}</li> : null;
}
