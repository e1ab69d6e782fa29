/** The memory of the whole notebook: storages and who holds them, what keeps graphs alive. No session is needed. */
import type { JSX } from 'preact';
import { Fragment } from 'preact';
import { useMemo, useState } from 'preact/hooks';

import type { Heap, HeapCycle, HeapHolder, HeapKeeper, HeapStorage, Place } from '../../protocol';
import type { DebuggerState } from '../../store';
import * as format from '../format';
import {
  aliasText,
  alike,
  bytesOf,
  cycleText,
  eachText,
  holderText,
  keepsText,
  parted,
  sessionsText,
  sharesText,
  smallerText,
  storageText,
  totalText,
  treeOf
} from '../heapText';
import type { Branch } from '../heapText';
import { PlaceLink } from '../PlaceLink';
import { Sentence } from '../Sentence';

/** Rows that are drawn at once. */
const PAGE = 50;

export function NotebookMemory({ state }: { state: DebuggerState }): JSX.Element {
  const { heap, heapAsked } = state;
  if (heap === null) {
    const text = heapAsked ? 'Reading the memory…' : 'Nothing was read yet.';
    return <p class="vg-empty vg-loading">{text}</p>;
  }
  return <Read heap={heap.heap} />;
}

/** How much there is, and how long it took to find out. */
export function heapNote({ heap, heapAsked }: DebuggerState): string {
  return heapAsked ? 'reading…' : heap ? `read in ${format.seconds(heap.seconds)}` : '';
}

function Read({ heap }: { heap: Heap }): JSX.Element {
  const { keepers, keepers_more, cycles, cycles_more, uncounted } = heap;
  return (
    <div class="vg-heap">
      <p class="vg-heap-total">
        <b>{totalText(heap)}</b>
        <span class="vg-muted">{sharesText(heap)}</span>
      </p>
      {keepers.length > 0 && (
        <section aria-label="Graphs that are kept alive">
          <h4>Graphs that are kept alive</h4>
          <ul class="vg-heap-list">
            {keepers.map((keeper, i) => (
              <Keeper key={i} keeper={keeper} />
            ))}
            {keepers_more > 0 && <More count={keepers_more} noun="more part" />}
          </ul>
        </section>
      )}
      {cycles.length > 0 && (
        <section aria-label="Reference cycles">
          <h4>Reference cycles</h4>
          <ul class="vg-heap-list">
            {cycles.map((cycle, i) => (
              <Cycle key={i} cycle={cycle} />
            ))}
            {cycles_more > 0 && <More count={cycles_more} noun="more cycle" />}
          </ul>
        </section>
      )}
      <Storages heap={heap} />
      {uncounted.map(text => (
        <p key={text} class="vg-muted">
          {text}
        </p>
      ))}
    </div>
  );
}

function Keeper({ keeper }: { keeper: HeapKeeper }): JSX.Element {
  const { names, through, since } = keeper;
  return (
    <li>
      {names.map((name, i) => (
        <Fragment key={i}>
          {i > 0 && (i === names.length - 1 && keeper.names_more === 0 ? ' and ' : ', ')}
          <code class="vg-code-word">{name}</code>
        </Fragment>
      ))}
      {names.length === 0 && sessionsText(keeper)}
      {through !== '' && through !== names[0] && (
        <span class="vg-muted">
          {' '}
          through <code class="vg-code-word">{through}</code>
        </span>
      )}{' '}
      {keepsText(keeper)}
      <Since place={since} word=", since " />
      {names.length === 0 ? ', until closed' : sessionsText(keeper)}
    </li>
  );
}

function Cycle({ cycle }: { cycle: HeapCycle }): JSX.Element {
  return (
    <li>
      {cycleText(cycle)}
      <Since place={cycle.place} word=", recorded at " />
    </li>
  );
}

function More({ count, noun }: { count: number; noun: string }): JSX.Element {
  return <li class="vg-muted">{`and ${format.count(count, noun)}`}</li>;
}

function Since({ place, word }: { place: Place | null; word: string }): JSX.Element | null {
  return place ? (
    <>
      {word}
      <PlaceLink text={format.place(place)} place={place} />
    </>
  ) : null;
}

function Storages({ heap }: { heap: Heap }): JSX.Element {
  const [limit, setLimit] = useState(PAGE);
  const [unfolded, setUnfolded] = useState(false);
  const { held, held_more, bytes } = heap;
  const { large, small } = useMemo(() => parted(alike(held), bytes), [held, bytes]);
  const groups = unfolded ? [...large, ...small] : large;
  if (held.length === 0) {
    return <p class="vg-empty">No vizgrad tensor is in the memory of this kernel.</p>;
  }
  return (
    <>
      <table class="vg-heap-table">
        <caption>Largest storages</caption>
        <thead>
          <tr>
            <th scope="col">Bytes</th>
            <th scope="col">Storage</th>
            <th scope="col">Held by</th>
          </tr>
        </thead>
        <tbody>
          {groups.slice(0, limit).map((group, i) => (
            <Row key={group[0]?.id ?? i} group={group} />
          ))}
        </tbody>
      </table>
      {small.length > 0 && (
        <button
          type="button"
          class="vg-more-button"
          aria-expanded={unfolded}
          onClick={() => setUnfolded(!unfolded)}
        >
          {smallerText(small)}
        </button>
      )}
      {groups.length > limit && (
        <button type="button" class="vg-more-button" onClick={() => setLimit(limit + 4 * PAGE)}>
          {`${format.whole(groups.length - limit)} more`}
        </button>
      )}
      {held_more > 0 && (
        <p class="vg-muted">{`and ${format.count(held_more, 'smaller one')}, not listed`}</p>
      )}
    </>
  );
}

/** One storage, or several of which the same is told. */
function Row({ group }: { group: readonly HeapStorage[] }): JSX.Element | null {
  const [storage] = group;
  if (!storage) {
    return null;
  }
  const { name, use, holders, holders_more } = storage;
  return (
    <tr data-use={use}>
      <td class="vg-heap-bytes">{format.bytes(bytesOf(group))}</td>
      <th scope="row">
        <span class="vg-heap-name">
          {name === '' ? 'unnamed' : <Sentence text={name} />}
          {group.length > 1 && ` × ${format.whole(group.length)}`}
        </span>
        <span class="vg-muted">{eachText(group)}</span>
      </th>
      <td>
        <ul class="vg-heap-holders">
          {holders.map((holder, i) => (
            <Holder key={i} holder={holder} />
          ))}
          {holders_more > 0 && <More count={holders_more} noun="more holder" />}
        </ul>
        {group.length > 1 ? <Parts group={group} /> : <Aliases storage={storage} />}
      </td>
    </tr>
  );
}

function Holder({ holder }: { holder: HeapHolder }): JSX.Element {
  return (
    <li>
      <Sentence text={holderText(holder)} />
      <Since place={holder.place} word=", " />
    </li>
  );
}

/** Each of several that are alike. */
function Parts({ group }: { group: readonly HeapStorage[] }): JSX.Element {
  return (
    <details class="vg-heap-aliases">
      <summary>{`${format.whole(group.length)} of this kind`}</summary>
      <ul>
        {group.map(each => (
          <li key={each.id}>
            {`${format.bytes(each.bytes)} ${storageText(each)}`}
            <Aliases storage={each} />
          </li>
        ))}
      </ul>
    </details>
  );
}

/** Who is a view of whom; a storage that one tensor shows has no tree. */
function Aliases({ storage }: { storage: HeapStorage }): JSX.Element | null {
  const { aliases, aliases_more } = storage;
  if (aliases.length < 2) {
    return null;
  }
  return (
    <details class="vg-heap-aliases">
      <summary>{`${format.whole(aliases.length + aliases_more)} share it`}</summary>
      <Branches branches={treeOf(aliases)} />
      {aliases_more > 0 && <p class="vg-muted">{`and ${format.whole(aliases_more)} more`}</p>}
    </details>
  );
}

function Branches({ branches }: { branches: readonly Branch[] }): JSX.Element {
  return (
    <ul>
      {branches.map(({ alias, under, count }, i) => (
        <li key={i}>
          <Sentence text={aliasText(alias)} />
          {count > 1 && ` × ${format.whole(count)}`}
          {under.length > 0 && <Branches branches={under} />}
        </li>
      ))}
    </ul>
  );
}
