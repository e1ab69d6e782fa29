/** A named part of the view, with a header. */
import type { ComponentChildren, JSX } from 'preact';

import { later } from '../later';

interface RegionProps {
  /** The accessible name: tests and screen readers find the region by it. */
  readonly name: string;
  /** A few words in the header, beside the name. */
  readonly note?: () => string;
  /** What has to be known at once, in the note's place. */
  readonly status?: ComponentChildren;
  readonly tools?: ComponentChildren;
  readonly children: ComponentChildren;
  /** Without the header: a tab has it. */
  readonly bare?: boolean;
}

export function Region({
  name,
  note,
  status,
  tools,
  children,
  bare = false
}: RegionProps): JSX.Element {
  const area = name.split(' ')[0]?.toLowerCase() ?? '';
  return (
    <section class={`vg-region vg-area-${area}`} role="region" aria-label={name}>
      {!bare && (
        <header class="vg-region-head">
          <h3 class="vg-region-name">{name}</h3>
          {status ?? (note !== undefined && <Note say={note} />)}
          {tools !== undefined && <span class="vg-region-tools">{tools}</span>}
        </header>
      )}
      <div
        class="vg-region-body"
        {...(name === 'Graph' ? {} : { tabIndex: 0, role: 'group', 'aria-label': name })}
      >
        {children}
      </div>
    </section>
  );
}

/** Found and drawn behind the picture, as what it is a note on. */
export const Note = later(({ say }: { say: () => string }) => (
  <span class="vg-region-note">{say()}</span>
));
