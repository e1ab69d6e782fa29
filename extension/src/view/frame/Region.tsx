/** A named part of the view, with a header. In a narrow view it can be folded away. */
import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';

interface RegionProps {
  /** The accessible name: tests and screen readers find the region by it. */
  readonly name: string;
  readonly foldable: boolean;
  /** A few words in the header, beside the name. */
  readonly note?: ComponentChildren;
  readonly tools?: ComponentChildren;
  readonly children: ComponentChildren;
}

export function Region({ name, foldable, note, tools, children }: RegionProps): JSX.Element {
  const [folded, setFolded] = useState(false);
  const shut = foldable && folded;
  const area = name.split(' ')[0]?.toLowerCase() ?? '';
  return (
    <section
      class={`vg-region vg-area-${area}${shut ? ' vg-shut' : ''}`}
      role="region"
      aria-label={name}
    >
      <header class="vg-region-head">
        {foldable ? (
          <button
            type="button"
            class="vg-region-fold"
            aria-expanded={!shut}
            onClick={() => setFolded(!folded)}
          >
            <svg class="vg-caret" viewBox="0 0 16 16" aria-hidden="true">
              <path d="m4 6 4 4 4-4" fill="none" stroke="currentColor" stroke-width="1.6" />
            </svg>
            <span class="vg-region-name">{name}</span>
          </button>
        ) : (
          <h3 class="vg-region-name">{name}</h3>
        )}
        {note !== undefined && <span class="vg-region-note">{note}</span>}
        {tools !== undefined && <span class="vg-region-tools">{tools}</span>}
      </header>
      {!shut && (
        <div
          class="vg-region-body"
          {...(name === 'Graph' ? {} : { tabIndex: 0, role: 'group', 'aria-label': name })}
        >
          {children}
        </div>
      )}
    </section>
  );
}
