/** Every saved value of the graph; what needs attention first. */
import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';

import type { Saved, SavedState } from '../../protocol';
import type { SessionState } from '../../store';
import { isTensor } from '../plain';
import { NodeLink } from './NodeLink';
import { SavedCard } from './SavedCard';

const ORDER: readonly SavedState[] = ['stale', 'alive', 'packed', 'freed'];
const PAGE = 60;

interface Entry {
  readonly node: number;
  readonly saved: Saved;
}

export function SavedTensors({ session }: { session: SessionState }): JSX.Element {
  const [limit, setLimit] = useState(PAGE);
  const entries = useMemo(() => sorted(session.saved), [session.saved]);
  if (entries.length === 0) {
    return <p class="vg-empty">No node of this graph saved a value.</p>;
  }
  return (
    <>
      <ul class="vg-saved-list">
        {entries.slice(0, limit).map(({ node, saved }) => (
          <SavedCard
            key={`${node} ${saved.name}`}
            saved={saved}
            owner={<NodeLink session={session} node={node} />}
          />
        ))}
      </ul>
      {entries.length > limit && (
        <button type="button" class="vg-more-button" onClick={() => setLimit(limit + 4 * PAGE)}>
          {`${entries.length - limit} more`}
        </button>
      )}
    </>
  );
}

function sorted(saved: SessionState['saved']): Entry[] {
  const entries: Entry[] = [];
  for (const [node, values] of saved) {
    for (const value of values.filter(isTensor)) {
      entries.push({ node, saved: value });
    }
  }
  const rank = ({ saved: { state } }: Entry): number => ORDER.indexOf(state);
  return entries.sort((a, b) => rank(a) - rank(b) || a.node - b.node);
}

/** "12 alive · 1 stale": how many there are in each state that somebody may have to act on. */
export function savedNote(session: SessionState): string {
  let stale = 0;
  let alive = 0;
  for (const values of session.saved.values()) {
    for (const { state } of values.filter(isTensor)) {
      stale += state === 'stale' ? 1 : 0;
      alive += state === 'freed' ? 0 : 1;
    }
  }
  return [`${alive} alive`, stale > 0 ? `${stale} stale` : ''].filter(Boolean).join(' · ');
}
