/** Which session is shown, where there are several (the side panel). */
import type { JSX } from 'preact';

import type { SessionInfo } from '../../protocol';
import type { SessionState } from '../../store';
import * as format from '../format';
import { useStore } from '../hooks';

interface SessionPickerProps {
  readonly sessions: readonly SessionInfo[];
  readonly shown: SessionState | null;
}

export function SessionPicker({ sessions, shown }: SessionPickerProps): JSX.Element | null {
  const store = useStore();
  if (sessions.length === 0) {
    return null;
  }
  const shownId = shown?.session ?? '';
  const known = sessions.some(info => info.session === shownId);
  return (
    <label class="vg-sessions">
      <span>Session</span>
      <select
        aria-label="Session"
        value={shownId}
        onChange={event => store.attach(event.currentTarget.value)}
      >
        {!known && <option value={shownId}>{shown ? 'closed session' : 'choose'}</option>}
        {sessions.map(info => (
          <option key={info.session} value={info.session}>
            {describe(info, shown)}
          </option>
        ))}
      </select>
    </label>
  );
}

/** `loss, In [7], 3 of 6`. The list says how far it was when that was made; of the one shown we know better. */
function describe(info: SessionInfo, shown: SessionState | null): string {
  const { session, title, cell } = info;
  const { status, position, total } = session === shown?.session ? shown.run : info;
  const parts = [
    title === '' ? session : title,
    cell,
    `${format.whole(position)} of ${format.whole(total)}`
  ];
  return [...parts, status === 'paused' ? '' : status].filter(Boolean).join(', ');
}
