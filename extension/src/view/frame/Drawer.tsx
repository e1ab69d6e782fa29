/** What is not looked at all the time: a row of tabs below the graph, of which one can be opened. */
import type { JSX } from 'preact';

import { Button } from './Button';
import type { Part } from './part';
import { Splitter } from './Splitter';
import { Tabs } from './Tabs';

interface DrawerProps {
  readonly parts: readonly Part[];
  /** The name of one of them; null: none is open. */
  readonly open: string | null;
  /** Of what is above it, of the height of both. */
  readonly share: number;
  choose(name: string | null): void;
  resize(share: number): void;
}

export function Drawer({ parts, open: chosen, share, choose, resize }: DrawerProps): JSX.Element {
  return (
    <>
      {chosen !== null && (
        <Splitter
          name="Share of the graph's height"
          direction="rows"
          share={share}
          change={resize}
        />
      )}
      <div class={chosen === null ? 'vg-drawer' : 'vg-drawer vg-open'}>
        <Tabs
          parts={parts}
          chosen={chosen}
          choose={name => choose(name === chosen ? null : name)}
          end={
            chosen !== null && (
              <Button icon="close" name={`Close ${chosen}`} act={() => choose(null)} />
            )
          }
        />
      </div>
    </>
  );
}
