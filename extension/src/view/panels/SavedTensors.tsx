/** The saved values of nodes that are drawn, and all that are stale; what needs attention first. */
import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';

import type { Saved, SavedState } from '../../protocol';
import { isTensor } from '../../store';
import type { SavedValues, SessionState } from '../../store';
import * as format from '../format';
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
  const { saved, drawing, size } = session;
  const all = isAll(session);
  const total = ORDER.reduce((sum, state) => sum + saved.count(state), hiddenStale(session));
  const entries = useMemo(() => first(saved, limit), [saved, session.run, limit]);
  if (total === 0) {
    return (
      <p class="vg-empty">
        {all
          ? 'No node of this graph saved a value: no formula needs one.'
          : 'No visible node saved a value. Expand groups to see more nodes.'}
      </p>
    );
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
      {!all && (
        <p class="vg-muted vg-saved-note">
          {`Showing ${format.count(drawing.nodes.length, 'visible node')} of ${format.whole(size)}, and all stale values.`}
        </p>
      )}
      {total > limit && (
        <button type="button" class="vg-more-button" onClick={() => setLimit(limit + 4 * PAGE)}>
          {`${format.whole(total - limit)} more`}
        </button>
      )}
    </>
  );
}

/** The first `limit` of all, those in the most urgent state before the others. */
function first(saved: SavedValues, limit: number): Entry[] {
  const entries: Entry[] = [];
  for (const state of ORDER) {
    for (const node of state === 'stale' ? saved.staleNodes : saved.savers) {
      for (const value of saved.of(node)) {
        if (value.state === state && isTensor(value)) {
          entries.push({ node, value });
        }
      }
      if (entries.length >= limit) {
        return entries.slice(0, limit);
      }
    }
  }
  return entries;
}

/** Stale values of nodes that are not drawn. */
function hiddenStale({ saved }: SessionState): number {
  return Math.max(saved.stale - saved.count('stale'), 0);
}

/** Is the whole graph drawn? */
function isAll({ drawing, size }: SessionState): boolean {
  return drawing.nodes.length === size;
}

/** "12 in memory · 1 stale": how many there are in each state that the user may have to act on. */
export function savedNote(session: SessionState): string {
  const { saved } = session;
  const alive = saved.count('alive') + saved.count('packed') + saved.count('stale');
  const where = isAll(session) ? 'in memory' : 'in visible nodes';
  return [`${alive} ${where}`, saved.stale > 0 ? `${saved.stale} stale` : '']
    .filter(Boolean)
    .join(' · ');
}
