/** The visits in the order they ran. A click goes to the moment after one. */
import type { JSX } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';

import { nodeTitle } from '../../store';
import type { SessionState } from '../../store';
import * as format from '../format';
import { useStore } from '../hooks';
import { NodeName } from './NodeLink';

/** Rows around the present position; a long history is not drawn whole. */
const AROUND = 100;

export function Events({ session }: { session: SessionState }): JSX.Element {
  const store = useStore();
  const list = useRef<HTMLOListElement>(null);
  const [filter, setFilter] = useState('');
  const { run, history } = session;

  const seen = history.length;
  const matching = useMemo(
    () => (filter.trim() === '' ? null : matches(session, filter.trim().toLowerCase())),
    [history, seen, filter, session.graph]
  );
  const total = matching?.length ?? seen;
  const middle = matching ? firstFrom(matching, run.position) : run.position;
  const from = Math.max(0, middle - AROUND);
  const indices = matching
    ? matching.slice(from, middle + AROUND)
    : Array.from({ length: Math.min(middle + AROUND, seen) - from }, (_, i) => from + i);
  const shown = indices.flatMap(index => {
    const node = history[index];
    return node === undefined ? [] : [{ node, index }];
  });

  useEffect(() => {
    // Only the list scrolls: `scrollIntoView` would move the whole notebook.
    const here = list.current?.querySelector<HTMLElement>('[aria-current="step"]');
    const box = list.current?.closest('.vg-region-body');
    if (here && box instanceof HTMLElement && box.scrollHeight > box.clientHeight) {
      const row = here.getBoundingClientRect();
      const frame = box.getBoundingClientRect();
      if (row.bottom > frame.bottom) {
        box.scrollTop += row.bottom - frame.bottom + row.height;
      } else if (row.top < frame.top + row.height) {
        box.scrollTop -= frame.top - row.top + 2 * row.height;
      }
    }
  }, [run.position]);

  if (seen === 0) {
    return <p class="vg-empty">No node has run yet.</p>;
  }
  return (
    <>
      {seen > 12 && (
        <input
          class="vg-filter"
          type="text"
          aria-label="Filter events"
          placeholder="Filter"
          spellcheck={false}
          value={filter}
          onInput={event => setFilter(event.currentTarget.value)}
        />
      )}
      <ol class="vg-events" ref={list} aria-label="Visits">
        {from > 0 && <li class="vg-muted">{`${from} earlier`}</li>}
        {shown.map(({ node, index }) => {
          const done = index < run.position;
          const norm = session.fold.node(node).grad_norm;
          return (
            <li key={index} class={done ? 'vg-event' : 'vg-event vg-undone'}>
              <button
                type="button"
                data-event={index}
                aria-current={index === run.position - 1 ? 'step' : undefined}
                title={
                  done ? 'Go back to after this visit' : 'Undone: go forward to after this visit'
                }
                onClick={() => store.seek(index + 1)}
              >
                <span class="vg-event-index">{index + 1}</span>
                <NodeName session={session} node={node} />
                {done && norm !== null && (
                  <span class="vg-norm" title="Norm of the incoming gradient">
                    {format.brief(norm)}
                  </span>
                )}
                {!done && <span class="vg-muted">undone</span>}
              </button>
            </li>
          );
        })}
        {from + indices.length < total && (
          <li class="vg-muted">{`${total - from - indices.length} later`}</li>
        )}
      </ol>
    </>
  );
}

/** The visits of nodes whose name has these letters in it. */
function matches(session: SessionState, letters: string): readonly number[] {
  return session.history.flatMap((node, index) =>
    node !== undefined && nodeTitle(session, node).toLowerCase().includes(letters) ? [index] : []
  );
}

/** The place of the first that is not before `position`. */
function firstFrom(indices: readonly number[], position: number): number {
  const near = indices.findIndex(index => index >= position);
  return near < 0 ? indices.length : near;
}
