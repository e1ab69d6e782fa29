/** Where a line of code is: a way there, if the host of the view can show it. */
import type { JSX } from 'preact';

import type { Place } from '../protocol';

import * as format from './format';
import { ASK_PLACE, hostOf } from './host';
import type { PlaceAsked } from './host';

interface PlaceLinkProps {
  /** As a person reads it: "In [3], line 2". */
  readonly text: string;
  /** Where it is known: a line of a file can be shown, too. */
  readonly place?: Place;
}

export function PlaceLink({ text, place: known }: PlaceLinkProps): JSX.Element {
  const place = cellIn(text) ?? fileOf(known);
  if (place === null || !hostOf(document).places) {
    return <>{text}</>;
  }
  return (
    <button
      type="button"
      class="vg-link"
      title={
        place.file === undefined ? 'Show this line in the notebook' : 'Show this line of the file'
      }
      onClick={event => ask(event.currentTarget, place)}
    >
      {text}
    </button>
  );
}

/** The host shows a line, if it can: asked for by an element of the view. */
export function showPlace(by: Element, known: Place): void {
  const place = cellIn(format.place(known)) ?? fileOf(known);
  if (place !== null && hostOf(document).places) {
    ask(by, place);
  }
}

function ask(by: Element, detail: PlaceAsked): void {
  by.dispatchEvent(
    new CustomEvent<PlaceAsked>(ASK_PLACE, { detail, bubbles: true, composed: true })
  );
}

/** The cell and line that a place names; null where it is in a file. */
export function cellIn(text: string): PlaceAsked | null {
  const [, cell, line] = /^(In \[\d+\]), line (\d+)/.exec(text) ?? [];
  return cell === undefined ? null : { cell, line: Number(line) };
}

function fileOf(place: Place | undefined): PlaceAsked | null {
  return place?.cell === null ? { cell: '', line: place.line, file: place.file } : null;
}
