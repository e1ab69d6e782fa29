/** An array that is gone through: any index of its leading dimensions, any block closer, copied as numpy. */
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';

import type { Part } from '../../../protocol';
import { partAsked, shows } from '../../../store';
import type { DebuggerState, Looking } from '../../../store';
import { useObservable, useStore } from '../../hooks';
import { ValueTable } from '../ValueTable';
import { ArrayPicture } from './ArrayPicture';
import { copy } from './copy';
import { rangeText } from './places';
import type { Which } from './which';
import { WhoWrote } from './WhoWrote';

const ROOM = { width: 340, height: 300 };
/** Elements that are written in a table beside the picture. */
const TABLE = 64;

export function GoThrough({ of }: { of: Which }): JSX.Element {
  const store = useStore();
  const state = useObservable(store.state);
  const open = isOpen(state, of);
  const looking = (): Looking => ({
    ...of,
    node: state.view.selection,
    at: [],
    rows: null,
    columns: null
  });
  return (
    <div class="vg-go-through" data-array={`${of.kind} ${of.nr}${of.name}`}>
      <button
        type="button"
        class="vg-more-button"
        aria-expanded={open}
        onClick={() => store.view({ looking: open ? null : looking() })}
      >
        {open ? 'Hide values' : 'Values'}
      </button>
      <WhoWrote of={of} state={state} />
      {open && <Opened state={state} />}
    </div>
  );
}

function isOpen({ view: { looking } }: DebuggerState, { kind, nr, name }: Which): boolean {
  return looking?.kind === kind && looking.nr === nr && looking.name === name;
}

function Opened({ state }: { state: DebuggerState }): JSX.Element {
  const { session, part: shown, view } = state;
  const asked = session && partAsked(session.session, view);
  const told = shown?.told;
  if (!asked || !told || JSON.stringify(told.of) !== JSON.stringify(asked.of)) {
    return session?.closed ? (
      <p class="vg-muted">The session is closed. Its values are no longer available.</p>
    ) : (
      <p class="vg-muted vg-loading">Asking the kernel for the values…</p>
    );
  }
  if (told.part === null) {
    return <p class="vg-muted">{`Cannot be shown: ${told.gone}.`}</p>;
  }
  return (
    <div aria-busy={!shows(shown, asked)}>
      <PartView part={told.part} asked={asked} node={told.of.node} />
    </div>
  );
}

interface PartViewProps {
  readonly part: Part;
  readonly asked: Pick<Looking, 'at' | 'rows' | 'columns'>;
  readonly node: number;
}

function PartView({ part, asked, node }: PartViewProps): JSX.Element {
  const store = useStore();
  const { shape, at, blocks } = part;
  // What was chosen last may not be shown yet.
  const chosen = asked.at.length === at.length ? asked.at : at;
  const look = (change: Partial<Looking>): void => {
    const { looking } = store.state.value.view;
    if (looking) {
      const { rows, columns } = asked;
      store.view({ looking: { ...looking, at: chosen, rows, columns, ...change, node } });
    }
  };
  const closer = asked.rows !== null || asked.columns !== null;
  const cells = blocks ? (blocks.values[0]?.length ?? 0) * blocks.values.length : 0;
  const single = blocks?.size[0] === 1 && blocks.size[1] === 1;
  return (
    <>
      <div class="vg-array-tools">
        {chosen.map((index, dim) => (
          <Chooser
            key={dim}
            dim={dim}
            length={shape[dim] ?? 0}
            index={index}
            choose={to =>
              look({
                at: chosen.map((each, d) => (d === dim ? to : each)),
                rows: null,
                columns: null
              })
            }
          />
        ))}
        {closer && blocks && (
          <button
            type="button"
            class="vg-more-button"
            onClick={() => look({ rows: null, columns: null })}
          >
            {`Rows ${rangeText(blocks.rows)}, columns ${rangeText(blocks.columns)}: show all`}
          </button>
        )}
        <CopyButton part={part} />
      </div>
      {blocks === null ? (
        <p class="vg-muted">No values.</p>
      ) : (
        <ArrayPicture shape={shape} at={at} blocks={blocks} room={ROOM} open={look} />
      )}
      {blocks && single && cells <= TABLE && <ValueTable blocks={blocks} />}
    </>
  );
}

interface ChooserProps {
  readonly dim: number;
  readonly length: number;
  readonly index: number | null;
  readonly choose: (index: number | null) => void;
}

function Chooser({ dim, length, index, choose }: ChooserProps): JSX.Element {
  return (
    <label class="vg-chooser">
      {`dim ${dim}`}
      <input
        type="number"
        min={0}
        max={length - 1}
        placeholder="all"
        value={index ?? ''}
        aria-label={`Index of dimension ${dim}, 0 to ${length - 1}; empty: all`}
        onInput={event => {
          const { value } = event.currentTarget;
          const number = Number(value);
          if (value === '' || (Number.isInteger(number) && number >= 0 && number < length)) {
            choose(value === '' ? null : number);
          }
        }}
      />
      <span class="vg-muted">{`of ${length}`}</span>
    </label>
  );
}

function CopyButton({ part }: { part: Part }): JSX.Element {
  const [done, setDone] = useState('');
  useEffect(() => setDone(''), [part.text]);
  return (
    <>
      <button
        type="button"
        class="vg-more-button vg-labelled"
        title={part.text.slice(0, 400)}
        onClick={() => {
          void copy(part.text).then(copied =>
            setDone(
              !copied
                ? 'The browser blocked copying.'
                : part.cut
                  ? `Copied ${part.text.slice(part.text.lastIndexOf('# cut:') + 7)}.`
                  : 'Copied.'
            )
          );
        }}
      >
        Copy as numpy
      </button>
      <span class="vg-muted" role="status">
        {done}
      </span>
    </>
  );
}
