/**
 * Parts of which one is shown: what a narrow view has room for. The tabs have one row: the others are in a menu at its
 * end, and the one that is shown has its tab in the row.
 */
import type { ComponentChildren, JSX } from 'preact';

import { useLayoutEffect, useRef, useState } from 'preact/hooks';

import { Menu } from '../graph/ContextMenu';
import { useResized, useSize } from '../hooks';
import { rove } from '../roving';
import { zoomOf } from '../width';
import { Note, Region } from './Region';
import { MenuButton } from './StepMenu';
import { tabsWithin } from './tabRow';
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
  const width = useSize(row)?.width ?? 0;
  const roomy = width / (row.current ? zoomOf(row.current) : 1) >= ROOMY;
  // How many of the first have room beside the one that is shown; null: all.
  const [first, setFirst] = useState<number | null>(null);
  const told = parts.map(({ name, sign }) => `${name} ${sign ?? ''}`).join();
  const measure = (): void => {
    if (list.current) {
      const wide = [...list.current.children].map(tab => tab.getBoundingClientRect().width);
      setFirst(tabsWithin(wide, list.current.getBoundingClientRect().width, Math.max(at, 0)));
      list.current.scrollTop = 0; // To focus a tab without room has shown its row.
    }
  };
  useLayoutEffect(measure, [at, width, told, first === null]);
  // What is beside them may come later, and take of their room; and type may become larger.
  useResized(list, measure, parts.length);
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
              style={first === null || i < first ? undefined : { order: i === at ? 1 : 2 }}
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
        {first !== null && (
          <MenuButton
            name="More parts"
            hint="Choose a part that has no tab in this row"
            icon="dots"
            draw={place => (
              <Menu {...place}>
                {parts.map(({ name, sign }, i) => (
                  <button
                    key={name}
                    type="button"
                    class="vg-menu-item"
                    role="menuitemradio"
                    aria-checked={i === at}
                    tabIndex={-1}
                    onClick={() => {
                      place.close(true);
                      choose(name);
                    }}
                  >
                    <span class="vg-menu-label">{name}</span>
                    {sign && <kbd>{sign}</kbd>}
                  </button>
                ))}
              </Menu>
            )}
          />
        )}
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
