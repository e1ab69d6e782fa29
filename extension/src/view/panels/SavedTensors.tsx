/** Every saved value of the graph; what needs attention first. */
import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';

import type { Saved, SavedState } from '../../protocol';
import type { SessionState } from '../../store';
import * as format from '../format';
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
    for (const value of values) {
      entries.push({ node, saved: value });
    }
  }
  const rank = ({ saved: { state } }: Entry): number => ORDER.indexOf(state);
  return entries.sort((a, b) => rank(a) - rank(b) || a.node - b.node);
}

/** Bytes held by live saved values; a storage saved twice counts once. "3 stale" if any is. */
export function savedNote(session: SessionState): string {
  const storages = new Map<number, number>();
  let loose = 0;
  let stale = 0;
  for (const values of session.saved.values()) {
    for (const { state, storage, bytes } of values) {
      stale += state === 'stale' ? 1 : 0;
      if (state === 'freed') {
        continue;
      }
      if (storage === null) {
        loose += bytes;
      } else {
        storages.set(storage, Math.max(storages.get(storage) ?? 0, bytes));
      }
    }
  }
  const held = [...storages.values()].reduce((a, b) => a + b, loose);
  return [`${format.bytes(held)} held`, stale > 0 ? `${stale} stale` : '']
    .filter(Boolean)
    .join(' · ');
}
