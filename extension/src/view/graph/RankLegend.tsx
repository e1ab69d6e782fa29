/** What the cells of a strip mean, where several processes run the backward. */
import type { JSX } from 'preact';

import { RANK_LETTERS } from '../../protocol';
import type { RankLetter } from '../../protocol';
import type { RanksState } from '../../store';
import * as format from '../format';

/** Short, and as a whole. */
const MEANS: Readonly<Record<RankLetter, readonly [string, string]>> = {
  '.': ['not run', 'No gradient has arrived there'],
  o: ['alike', 'A gradient that does not leave the others'],
  n: ['NaN, Inf', 'A gradient that is not finite'],
  u: ['undefined', 'An undefined gradient'],
  z: ['zero', 'A gradient of zeros'],
  s: ['size', 'More than 100 times as large or small as most'],
  a: ['no node', 'The graph of this rank has no such node'],
  w: ['waited for', 'The last to come to a collective: the others waited for it']
};

export function RankLegend({ ranks }: { ranks: RanksState }): JSX.Element {
  const { members, per_cell } = ranks;
  const each = per_cell > 1 ? `${format.whole(per_cell)} ranks a cell` : 'a cell for each rank';
  const last = members.at(-1)?.rank ?? 0;
  // Those of collectives, where there are some.
  const letters = RANK_LETTERS.filter(letter => letter !== 'w' || ranks.calls.length > 0);
  const title = `${format.count(members.length, 'rank')}: ${each}, from 0 to ${last}`;
  return (
    <div class="vg-legend vg-legend-ranks" role="note" aria-label={`Strips below nodes: ${title}`}>
      <span class="vg-legend-title">{title}</span>
      <span class="vg-legend-row">
        {letters.map(letter => (
          <span key={letter} class="vg-legend-step" title={MEANS[letter][1]}>
            <svg width="16" height="12" class="vg-ranks" aria-hidden="true">
              <rect
                data-cell={letter === '.' ? 'none' : letter}
                x="1"
                y={letter === '.' || letter === 'o' ? 4 : 1}
                width="14"
                height={letter === '.' || letter === 'o' ? 5 : 9}
                rx="2"
              />
            </svg>
            <span>{MEANS[letter][0]}</span>
          </span>
        ))}
      </span>
    </div>
  );
}
