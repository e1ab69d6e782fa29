/** The line that a screen reader reads aloud when it changes. */
import type { JSX } from 'preact';
import { useRef } from 'preact/hooks';

import type { DebuggerState } from '../store';
import { keysOf } from './host';
import { unquoted } from './Sentence';
import { heard, NOTHING_HEARD, spoken } from './spoken';

export function Live({ state }: { state: DebuggerState }): JSX.Element {
  const before = useRef(NOTHING_HEARD);
  const said = useRef('');
  const now = heard(state, before.current);
  const keys = `${keysOf('step')[0] ?? 'Step'} steps, ${keysOf('help')[0] ?? 'Help'} lists keys`;
  said.current = spoken(before.current, now, state.session, keys) || said.current;
  before.current = now;
  return (
    <div class="vg-live" role="status" aria-live="polite">
      {unquoted(said.current)}
    </div>
  );
}
