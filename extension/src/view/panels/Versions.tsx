/** A line per storage: when it was written, who saved it, and what is stale since when. */
import type { JSX } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';

import type { Storage } from '../../protocol';
import type { SessionState } from '../../store';
import * as format from '../format';
import { useSize, useStore } from '../hooks';
import { SavedIcon } from '../Icons';
import { PlaceLink } from '../PlaceLink';
import { Middle } from './Middle';
import { NodeLink } from './NodeLink';
import { labelled, ranked, timelineOf } from './timeline';
import type { Tick, Timeline } from './timeline';

const PAGE = 24;

/** The length of a line before it is measured. */
const USUAL_WIDTH = 200;

export function Versions({ session }: { session: SessionState }): JSX.Element {
  const [limit, setLimit] = useState(PAGE);
  const [all, setAll] = useState(false);
  const store = useStore();
  const { storages, saved } = session;
  // Which are stale changes with the run, how many of them with each that does: then they are sorted.
  const { shown, quiet } = useMemo(
    () => ranked(storages, saved),
    [storages.list, saved, saved.stale]
  );
  useEffect(() => {
    store.watchStorages(all);
    return () => store.watchStorages(false);
  }, [store, all]);
  const more = quiet.length + storages.untold;
  if (storages.count === 0) {
    return <p class="vg-empty">No storage belongs to this graph.</p>;
  }
  const rows = all ? [...shown, ...quiet] : shown;
  return (
    <>
      {shown.length === 0 && !all && <p class="vg-empty">No in-place changes since saving.</p>}
      <ul class="vg-timelines">
        {rows.slice(0, limit).map(storage => (
          <StorageLine key={storage.id} session={session} storage={storage} />
        ))}
      </ul>
      {rows.length > limit && (
        <button type="button" class="vg-more-button" onClick={() => setLimit(limit + 4 * PAGE)}>
          {`${format.whole(rows.length - limit)} more`}
        </button>
      )}
      {all && storages.untold > 0 && (
        <p class="vg-muted">{`${format.count(storages.untold, 'storage')} not listed`}</p>
      )}
      {(more > 0 || all) && (
        <button
          type="button"
          class="vg-more-button"
          aria-expanded={all}
          title="Show or hide storages without in-place changes"
          onClick={() => setAll(!all)}
        >
          {all
            ? 'Show fewer'
            : `Show ${format.count(more, `${shown.length > 0 ? 'more ' : ''}storage`)}`}
        </button>
      )}
    </>
  );
}

/** Tensors of the graph that were changed in place. */
export function writtenCount({
  storages,
  saved
}: Pick<SessionState, 'storages' | 'saved'>): number {
  return ranked(storages, saved).shown.length;
}

export function versionsNote({ storages, saved }: SessionState): string {
  const stale = saved.staleStorages.size;
  const written = writtenCount({ storages, saved });
  return stale > 0 ? `${stale} stale` : written > 0 ? `${written} written` : 'none stale';
}

interface StorageLineProps {
  readonly session: SessionState;
  readonly storage: Storage;
}

function StorageLine({ session, storage }: StorageLineProps): JSX.Element {
  const line = timelineOf(storage, session.saved);
  const stale = line.staleFrom !== null;
  const [open, setOpen] = useState(stale);
  const name = storage.label || `storage ${storage.id}`;
  const end = format.count(storage.version, 'write');
  return (
    <li class={stale ? 'vg-timeline vg-is-stale' : 'vg-timeline'} data-storage={storage.id}>
      <button
        type="button"
        class="vg-timeline-head"
        aria-expanded={open}
        aria-label={`${name}, version ${storage.version}${stale ? ', a saved value is stale' : ''}`}
        onClick={() => setOpen(!open)}
      >
        <span class="vg-timeline-name">
          <Middle text={name} />
        </span>
        <span class="vg-muted vg-mono">{format.tensor(storage)}</span>
        <span class={storage.version > 0 ? 'vg-versions vg-moved' : 'vg-versions'}>
          v{storage.version}
        </span>
        <Track line={line} title={end} />
      </button>
      {open && (
        <ol class="vg-timeline-events">
          {line.untold > 0 && <li class="vg-muted">{untoldText(line)}</li>}
          {line.ticks.map((tick, i) => (
            <TickLine key={i} session={session} tick={tick} />
          ))}
          {line.unseen > 0 && <li class="vg-muted">{format.count(line.unseen, 'other save')}</li>}
          {line.ticks.length === 0 && <li class="vg-muted">never written, never saved</li>}
        </ol>
      )}
    </li>
  );
}

/** "657 other writes, the last: Adam.step at In [3], line 22". */
function untoldText({ untold, lastUntold }: Timeline): string {
  const place = lastUntold?.place ? ` at ${format.place(lastUntold.place)}` : '';
  const last = lastUntold ? `, the last: ${lastUntold.op}${place}` : ' not kept';
  return `${format.count(untold, 'other write')}${last}`;
}

const percent = (share: number): string => `${(100 * share).toFixed(1)}%`;

function Track({ line, title }: { line: Timeline; title: string }): JSX.Element {
  const host = useRef<HTMLSpanElement>(null);
  const width = useSize(host)?.width ?? 0;
  const labels = useMemo(() => labelled(line, width || USUAL_WIDTH), [line, width]);
  return (
    <span class="vg-track-line" ref={host} title={title} aria-hidden="true">
      {line.untold > 0 && (
        <span
          class="vg-track-untold"
          style={{ width: percent(line.ticks[0]?.at ?? 1) }}
          title={untoldText(line)}
        />
      )}
      {line.staleFrom !== null && (
        <span class="vg-track-stale" style={{ left: percent(line.staleFrom) }} />
      )}
      {line.ticks.map((tick, i) =>
        tick.kind === 'write' ? (
          <span
            key={i}
            class="vg-tick"
            style={{ left: percent(tick.at) }}
            title={`${tick.write.op}: version ${tick.write.version}`}
          >
            {labels.has(tick) && <i>{`v${tick.write.version}`}</i>}
          </span>
        ) : (
          <span
            key={i}
            class="vg-mark"
            data-mark-state={tick.state}
            style={{ left: percent(tick.at) }}
            title={`saved as ${tick.mark.name} at version ${format.counter(tick.mark.version)}: ${tick.state}`}
          />
        )
      )}
    </span>
  );
}

function TickLine({ session, tick }: { session: SessionState; tick: Tick }): JSX.Element {
  if (tick.kind === 'save') {
    const { mark, state } = tick;
    return (
      <li class="vg-event-save" data-mark-state={state}>
        <span class="vg-versions">v{format.counter(mark.version)}</span>
        <div class="vg-timeline-event">
          <span class="vg-saved-chip" data-saved-state={state}>
            <SavedIcon state={state} />
            {mark.name}
          </span>{' '}
          saved by <NodeLink session={session} node={mark.node} />{' '}
          <span class="vg-saved-state">{format.SAVED_WORDS[state]}</span>
        </div>
      </li>
    );
  }
  const { op, version, place, alias } = tick.write;
  return (
    <li class="vg-event-write">
      <span class="vg-versions vg-moved">v{version}</span>
      <div class="vg-timeline-event">
        <b class="vg-mono">{op}</b> wrote
        {alias && (
          <>
            {' '}
            through <span class="vg-mono">{alias}</span>
          </>
        )}
        {place && (
          <span class="vg-muted">
            {' '}
            at <PlaceLink text={format.place(place)} />
          </span>
        )}
        {place?.text && <code class="vg-code-line">{place.text.trim()}</code>}
      </div>
    </li>
  );
}
