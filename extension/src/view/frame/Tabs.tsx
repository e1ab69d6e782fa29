/** Parts of which one is shown: what a narrow view has room for. */
import type { JSX } from 'preact';

import { rove } from '../roving';
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
    const next = rove(event, '[role="tab"]', 'row');
    if (next !== null) {
      choose(parts[next]?.name ?? '');
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
