/** Parts of which one is shown: what a narrow view has room for. */
import type { JSX } from 'preact';

import { Note, Region } from './Region';
import type { Part } from './Panels';

interface TabsProps {
  readonly parts: readonly Part[];
  readonly chosen: string;
  choose(name: string): void;
}

export function Tabs({ parts, chosen, choose }: TabsProps): JSX.Element {
  const at = Math.max(
    parts.findIndex(({ name }) => name === chosen),
    0
  );
  const part = parts[at] as Part;
  const keydown = (event: KeyboardEvent): void => {
    const next = {
      ArrowRight: (at + 1) % parts.length,
      ArrowLeft: (at - 1 + parts.length) % parts.length,
      Home: 0,
      End: parts.length - 1
    }[event.key];
    const list = event.currentTarget as HTMLElement;
    if (next !== undefined && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      event.stopPropagation();
      choose(parts[next]?.name ?? '');
      list.querySelectorAll<HTMLElement>('[role="tab"]')[next]?.focus();
    }
  };
  return (
    <div class="vg-tabbed">
      <div class="vg-tabs-row">
        <div class="vg-tabs" role="tablist" aria-label="Parts" onKeyDown={keydown}>
          {parts.map(({ name, sign }, i) => (
            <button
              key={name}
              type="button"
              class="vg-tab"
              role="tab"
              aria-selected={i === at}
              tabIndex={i === at ? 0 : -1}
              onClick={() => choose(name)}
            >
              {name}
              {sign && <span class="vg-tab-sign">{sign}</span>}
            </button>
          ))}
        </div>
        {part.note !== undefined && <Note key={part.name} say={part.note} />}
        {part.tools !== undefined && <span class="vg-region-tools">{part.tools}</span>}
      </div>
      <div class="vg-tabpanel" role="tabpanel" aria-label={part.name}>
        <Region key={part.name} name={part.name} bare>
          {part.draw()}
        </Region>
      </div>
    </div>
  );
}
