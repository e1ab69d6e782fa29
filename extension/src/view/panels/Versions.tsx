/** A line per storage: when it was written, who saved it, and what is stale since when. */
import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';

import type { Storage } from '../../protocol';
import type { SessionState } from '../../store';
import * as format from '../format';
import { SavedIcon } from '../Icons';
import { NodeLink } from './NodeLink';
import { timelineOf } from './timeline';
import type { Tick, Timeline } from './timeline';

const PAGE = 24;

interface Row {
  readonly storage: Storage;
  readonly line: Timeline;
}

export function Versions({ session }: { session: SessionState }): JSX.Element {
  const [limit, setLimit] = useState(PAGE);
  const { storages } = session.graph;
  const rows = useMemo(() => {
    const all = storages.map(storage => ({ storage, line: timelineOf(storage, session.saved) }));
    return all.sort((a, b) => rank(a) - rank(b));
  }, [storages, session.saved]);
  if (rows.length === 0) {
    return <p class="vg-empty">No storage belongs to this graph.</p>;
  }
  return (
    <>
      <ul class="vg-timelines">
        {rows.slice(0, limit).map(({ storage, line }) => (
          <StorageLine key={storage.id} session={session} storage={storage} line={line} />
        ))}
      </ul>
      {rows.length > limit && (
        <button type="button" class="vg-more-button" onClick={() => setLimit(limit + 4 * PAGE)}>
          {`${rows.length - limit} more`}
        </button>
      )}
    </>
  );
}

/** Stale storages first, then written ones, then the quiet rest. */
function rank({ storage, line }: Row): number {
  return line.staleFrom !== null ? 0 : storage.version > 0 ? 1 : 2;
}

export function versionsNote({ graph, saved }: SessionState): string {
  const stale = graph.storages.filter(
    storage => timelineOf(storage, saved).staleFrom !== null
  ).length;
  return stale > 0 ? `${stale} stale` : format.count(graph.storages.length, 'storage');
}

interface StorageLineProps extends Row {
  readonly session: SessionState;
}

function StorageLine({ session, storage, line }: StorageLineProps): JSX.Element {
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
        <span class="vg-timeline-name vg-mono">{name}</span>
        <span class="vg-muted vg-mono">{format.tensor(storage)}</span>
        <span class={storage.version > 0 ? 'vg-versions vg-moved' : 'vg-versions'}>
          v{storage.version}
        </span>
        <Track line={line} title={end} />
      </button>
      {open && (
        <ol class="vg-timeline-events">
          {line.untold > 0 && (
            <li class="vg-muted">{format.count(line.untold, 'other write')} not shown</li>
          )}
          {line.ticks.map((tick, i) => (
            <TickLine key={i} session={session} tick={tick} />
          ))}
          {line.ticks.length === 0 && <li class="vg-muted">never written, never saved</li>}
        </ol>
      )}
    </li>
  );
}

const percent = (share: number): string => `${(100 * share).toFixed(1)}%`;

function Track({ line, title }: { line: Timeline; title: string }): JSX.Element {
  return (
    <span class="vg-track-line" title={title} aria-hidden="true">
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
            <i>{`v${tick.write.version}`}</i>
          </span>
        ) : (
          <span
            key={i}
            class="vg-mark"
            data-mark-state={tick.state}
            style={{ left: percent(tick.at) }}
            title={`saved as ${tick.mark.name} at version ${tick.mark.version}: ${tick.state}`}
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
        <span class="vg-versions">v{mark.version}</span>
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
        {place && <span class="vg-muted"> at {format.place(place)}</span>}
        {place?.text && <code class="vg-code-line">{place.text.trim()}</code>}
      </div>
    </li>
  );
}
