/** Every saved value of the graph; what needs attention first. */
import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';

import type { Saved, SavedState } from '../../protocol';
import { isTensor } from '../../store';
import type { SavedValues, SessionState } from '../../store';
import { NodeLink } from './NodeLink';
import { SavedCard } from './SavedCard';

const ORDER: readonly SavedState[] = ['stale', 'alive', 'packed', 'freed'];
const PAGE = 60;

interface Entry {
  readonly node: number;
  readonly value: Saved;
}

export function SavedTensors({ session }: { session: SessionState }): JSX.Element {
  const [limit, setLimit] = useState(PAGE);
  const { saved } = session;
  const total = ORDER.reduce((sum, state) => sum + saved.count(state), 0);
  const entries = useMemo(() => first(saved, limit), [saved, session.run, limit]);
  if (total === 0) {
    return <p class="vg-empty">No node of this graph saved a value.</p>;
  }
  return (
    <>
      <ul class="vg-saved-list">
        {entries.map(({ node, value }) => (
          <SavedCard
            key={`${node} ${value.name}`}
            saved={value}
            owner={<NodeLink session={session} node={node} />}
          />
        ))}
      </ul>
      {total > limit && (
        <button type="button" class="vg-more-button" onClick={() => setLimit(limit + 4 * PAGE)}>
          {`${total - limit} more`}
        </button>
      )}
    </>
  );
}

/** The first `limit` of all, those in the most urgent state before the others. */
function first(saved: SavedValues, limit: number): Entry[] {
  const entries: Entry[] = [];
  for (const state of ORDER) {
    let left = saved.count(state);
    for (let i = 0; left > 0 && i < saved.savers.length; i++) {
      const node = saved.savers[i] as number;
      for (const value of saved.of(node)) {
        if (value.state === state && isTensor(value)) {
          if (entries.length === limit) {
            return entries;
          }
          entries.push({ node, value });
          left--;
        }
      }
    }
  }
  return entries;
}

/** "12 alive · 1 stale": how many there are in each state that somebody may have to act on. */
export function savedNote({ saved }: SessionState): string {
  const stale = saved.count('stale');
  const alive = saved.count('alive') + saved.count('packed') + stale;
  return [`${alive} alive`, stale > 0 ? `${stale} stale` : ''].filter(Boolean).join(' · ');
}
