/** Where a line of code is: in a notebook's cell a way there, if the host of the view can show one. */
import type { JSX } from 'preact';

import { ASK_PLACE, hostOf } from './host';
import type { PlaceAsked } from './host';

interface PlaceLinkProps {
  /** As a person reads it: "In [3], line 2". */
  readonly text: string;
}

export function PlaceLink({ text }: PlaceLinkProps): JSX.Element {
  const place = cellIn(text);
  if (place === null || !hostOf(document).places) {
    return <>{text}</>;
  }
  return (
    <button
      type="button"
      class="vg-link"
      title="Show this line in the notebook"
      onClick={event =>
        event.currentTarget.dispatchEvent(
          new CustomEvent<PlaceAsked>(ASK_PLACE, { detail: place, bubbles: true, composed: true })
        )
      }
    >
      {text}
    </button>
  );
}

/** The cell and line that a place names; null where it is in a file. */
export function cellIn(text: string): PlaceAsked | null {
  const [, cell, line] = /^(In \[\d+\]), line (\d+)/.exec(text) ?? [];
  return cell === undefined ? null : { cell, line: Number(line) };
}
