/** Where several processes run the backward: which of them is shown, where each stands, and which leaves the others. */
import type { JSX } from 'preact';

import type { RankMember } from '../../protocol';
import { standings } from '../../store';
import type { RanksState, SessionState } from '../../store';
import * as format from '../format';
import { useStore } from '../hooks';
import { inSteps } from './stepNumbers';

/** Lines of ranks that stand alike; of more their number is given. */
const MOST = 4;

interface RankBarProps {
  readonly ranks: RanksState;
  /** That of the rank that is shown. */
  readonly session: SessionState;
}

export function RankBar({ ranks, session: shown }: RankBarProps): JSX.Element {
  const store = useStore();
  const { members, rank, session, together, differing, first, text } = ranks;
  const stand = standings(members);
  const more = stand.length - MOST;
  return (
    <div class="vg-rank-bar" role="group" aria-label="Ranks">
      <label class="vg-rank-choice">
        <span>Rank</span>
        <select
          aria-label="Rank"
          title="Show this rank: its values, its code and its memory"
          value={`${rank}`}
          onChange={event => {
            const chosen = members.find(member => `${member.rank}` === event.currentTarget.value);
            store.attach(chosen?.session ?? session);
          }}
        >
          {members.map(member => (
            <option key={member.rank} value={`${member.rank}`}>
              {optionOf(member)}
            </option>
          ))}
        </select>
      </label>
      {together !== null && (
        <label class="vg-rank-together" title="Step, Back and Continue move all ranks, or this one">
          <input
            type="checkbox"
            checked={together}
            onChange={event => store.actions.moveTogether(event.currentTarget.checked)}
          />
          <span>Move all ranks</span>
        </label>
      )}
      <ul class="vg-rank-lines" aria-label="Where the ranks stand">
        {stand.slice(0, MOST).map(({ who, member }) => (
          <li key={who} data-rank-state={member.state}>
            <b>{who}</b> {inSteps(member.text, null)}
          </li>
        ))}
        {more > 0 && <li>{`and ${format.whole(more)} other positions`}</li>}
      </ul>
      <div class="vg-rank-finding" data-differing={differing > 0 ? 'yes' : 'no'}>
        <ul class="vg-rank-lines" aria-label="How the ranks differ">
          {text.split('\n').map(line => (
            <li key={line}>{inSteps(line.trim(), shown)}</li>
          ))}
        </ul>
        {first !== null && (
          <button
            type="button"
            class="vg-more-button"
            title="Select the first node where a rank leaves the others"
            onClick={() => store.select(first)}
          >
            Show node
          </button>
        )}
        {differing > 1 && <span class="vg-muted">{`${format.whole(differing)} nodes differ`}</span>}
      </div>
    </div>
  );
}

/** In a word beside the number, unless it is as usual. */
function optionOf({ rank, state }: RankMember): string {
  return state === 'paused' || state === 'finished' ? `${rank}` : `${rank} (${state})`;
}
