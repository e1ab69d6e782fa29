/** The collectives that a node has called, or that carry its gradient. */
import type { JSX } from 'preact';

import { callOn, ranksOf } from '../../store';
import type { DebuggerState, SessionState } from '../../store';
import { callState, callText } from '../graph/CollectiveBox';

interface CallsProps {
  readonly state: DebuggerState;
  readonly session: SessionState;
  readonly node: number;
}

export function Calls({ state, session, node }: CallsProps): JSX.Element | null {
  const ranks = ranksOf(session, state.ranks);
  const { position } = session.run;
  const here = session.drawing.collectives.filter(
    each => each.node === node || each.nodes.includes(node)
  );
  return here.length > 0 ? (
    <section class="vg-part">
      <h4>Collectives</h4>
      <ul class="vg-calls">
        {here.map(called => {
          const [name = '', size = ''] = called.rows;
          const [, ...more] = called.details;
          const there = ranks && callOn(ranks, called);
          return (
            <li
              key={`${called.group} ${called.number}`}
              data-call={callState(called, position)}
              data-collective={called.number}
            >
              <strong>{name}</strong> {`${size}, ${callText(called, position)}`}
              {more.map(line => (
                <div key={line} class="vg-muted">
                  {line}
                </div>
              ))}
              {there && <div>{there.text}</div>}
            </li>
          );
        })}
      </ul>
    </section>
  ) : null;
}
