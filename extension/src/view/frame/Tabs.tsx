/** Parts of which one is shown: what a narrow view has room for. */
import type { ComponentChildren, JSX } from 'preact';

import { useLayoutEffect, useRef } from 'preact/hooks';

import { useSize } from '../hooks';
import { rove } from '../roving';
import { Note, Region } from './Region';
import type { Part } from './part';

/** Pixels of the row from which there is room for a note, tools and whole signs beside the tabs. */
const ROOMY = 720;

interface TabsProps {
  readonly parts: readonly Part[];
  /** Null: none is shown. */
  readonly chosen: string | null;
  /** Behind the tools of the one that is shown. */
  readonly end?: ComponentChildren;
  choose(name: string): void;
}

export function Tabs({ parts, chosen, choose, end }: TabsProps): JSX.Element {
  const found = parts.findIndex(({ name }) => name === chosen);
  const at = chosen === null ? -1 : Math.max(found, 0);
  const part: Part | undefined = parts[at];
  const keydown = (event: KeyboardEvent): void => {
    const next = rove(event, '[role="tab"]', 'row');
    if (next !== null) {
      choose(parts[next]?.name ?? '');
    }
  };
  const row = useRef<HTMLDivElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const roomy = (useSize(row)?.width ?? 0) >= ROOMY;
  // Where they have no room beside each other they are scrolled; what is around them is not.
  useLayoutEffect(() => {
    const tab = list.current?.querySelector<HTMLElement>('[aria-selected="true"]');
    if (list.current && tab) {
      const { offsetLeft, offsetWidth } = tab;
      const { scrollLeft, clientWidth } = list.current;
      list.current.scrollLeft = Math.min(
        Math.max(scrollLeft, offsetLeft + offsetWidth - clientWidth),
        offsetLeft
      );
    }
  }, [chosen, roomy]);
  const tools = part?.tools !== undefined && <span class="vg-region-tools">{part.tools}</span>;
  const note = part?.note !== undefined && <Note key={part.name} say={part.note} />;
  return (
    <div class="vg-tabbed">
      <div class="vg-tabs-row" ref={row}>
        <div ref={list} class="vg-tabs" role="tablist" aria-label="Parts" onKeyDown={keydown}>
          {parts.map(({ name, short = name, sign }, i) => (
            <button
              key={name}
              type="button"
              class="vg-tab"
              role="tab"
              aria-selected={i === at}
              aria-label={sign ? `${name}, ${sign}` : name}
              {...(sign ? { title: sign } : {})}
              tabIndex={i === Math.max(at, 0) ? 0 : -1}
              onClick={() => choose(name)}
            >
              {short}
              {sign && (
                <span
                  class="vg-tab-sign"
                  data-sign={roomy ? sign : sign.split(' ')[0]}
                  aria-hidden="true"
                />
              )}
            </button>
          ))}
        </div>
        {roomy && note}
        {roomy && tools}
        {end}
      </div>
      {part && (
        <div class="vg-tabpanel" role="tabpanel" aria-label={part.name}>
          <Region key={part.name} name={part.name} bare>
            {!roomy && tools}
            {!roomy && note}
            {part.draw()}
          </Region>
        </div>
      )}
    </div>
  );
}
