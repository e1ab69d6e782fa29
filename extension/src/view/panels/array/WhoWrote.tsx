/** "What wrote this value": a click goes to the step that did, or shows the line. */
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

import type { Written } from '../../../protocol';
import type { DebuggerState } from '../../../store';
import * as format from '../../format';
import { useCommands, useStore } from '../../hooks';
import { PlaceLink, showPlace } from '../../PlaceLink';
import type { Which } from './which';

interface WhoWroteProps {
  readonly of: Which;
  readonly state: DebuggerState;
}

export function WhoWrote({ of, state }: WhoWroteProps): JSX.Element | null {
  const store = useStore();
  const asks = useCommands().has('stop');
  const asked = useRef(false);
  const button = useRef<HTMLButtonElement>(null);
  const { selection } = state.view;
  const told = isAbout(state.written, of, selection) ? state.written : null;
  const writer = told?.writer ?? null;
  const place = writer?.place ?? null;
  useEffect(() => {
    if (asked.current && writer?.position === null && place && button.current) {
      asked.current = false;
      showPlace(button.current, place);
    }
  }, [writer]);
  if (selection === null || !asks) {
    return null; // A page without a kernel has nobody to ask.
  }
  return (
    <>
      <button
        ref={button}
        type="button"
        class="vg-more-button"
        title="Go to the step, or the line, that wrote this value last"
        onClick={() => {
          asked.current = true;
          store.actions.askWriter({ ...of, node: selection });
        }}
      >
        What wrote this?
      </button>
      {writer && (
        <p class="vg-muted vg-writer" role="status">
          {writer.text}
          {place && (
            <>
              {', '}
              <PlaceLink text={format.place(place)} place={place} />
            </>
          )}
        </p>
      )}
    </>
  );
}

function isAbout(told: Written | null, { kind, nr, name }: Which, node: number | null): boolean {
  if (told === null) {
    return false;
  }
  const { of } = told;
  return of.node === node && of.kind === kind && of.nr === nr && of.name === name;
}
