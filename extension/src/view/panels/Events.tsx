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

  const rows = useMemo(() => {
    const wanted = filter.trim().toLowerCase();
    return history.flatMap((node, index) =>
      node !== undefined && nodeTitle(session, node).toLowerCase().includes(wanted)
        ? [{ node, index }]
        : []
    );
  }, [history, filter, session.structure]);
  const near = rows.findIndex(row => row.index >= run.position);
  const middle = near < 0 ? rows.length : near;
  const from = Math.max(0, middle - AROUND);
  const shown = rows.slice(from, middle + AROUND);

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

  if (history.length === 0) {
    return <p class="vg-empty">No node has run yet.</p>;
  }
  return (
    <>
      {history.length > 12 && (
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
          const norm = run.nodes[node]?.grad_norm ?? null;
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
        {from + shown.length < rows.length && (
          <li class="vg-muted">{`${rows.length - from - shown.length} later`}</li>
        )}
      </ol>
    </>
  );
}
