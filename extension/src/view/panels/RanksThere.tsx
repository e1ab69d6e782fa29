/** Each rank at the selected node. */
import type { JSX } from 'preact';

import { ranksOf } from '../../store';
import type { DebuggerState, SessionState } from '../../store';
import * as format from '../format';
import { useStore } from '../hooks';

interface RanksThereProps {
  readonly state: DebuggerState;
  readonly session: SessionState;
  readonly node: number;
}

export function RanksThere({ state, session, node }: RanksThereProps): JSX.Element | null {
  const store = useStore();
  const ranks = ranksOf(session, state.ranks);
  const there = state.ranksThere;
  if (ranks === null || there?.session !== session.session || there.node !== node) {
    return null;
  }
  return (
    <section class="vg-part">
      <h4>Ranks</h4>
      <div class="vg-rank-scroll" tabindex={0} role="group" aria-label="Ranks at this node">
        <table class="vg-rank-table">
          <thead>
            <tr>
              <th scope="col">rank</th>
              <th scope="col">gradient</th>
              <th scope="col">took</th>
            </tr>
          </thead>
          <tbody>
            {there.ranks.map(({ rank, text, seconds, leaving }) => (
              <tr key={rank} data-leaving={leaving ? 'yes' : undefined}>
                <th scope="row">
                  {rank === ranks.rank ? (
                    `${rank} (shown)`
                  ) : (
                    <button
                      type="button"
                      class="vg-node-link"
                      title={`Show rank ${rank}`}
                      onClick={() => {
                        const of = ranks.members.find(member => member.rank === rank);
                        store.attach(of?.session ?? session.session);
                      }}
                    >
                      {rank}
                    </button>
                  )}
                </th>
                <td>{text}</td>
                <td>{seconds > 0 ? format.seconds(seconds) : ''}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
