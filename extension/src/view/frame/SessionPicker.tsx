/** Which session is shown, where there are several (the side panel). */
import type { JSX } from 'preact';

import type { SessionInfo } from '../../protocol';
import { useStore } from '../hooks';

interface SessionPickerProps {
  readonly sessions: readonly SessionInfo[];
  readonly shown: string | null;
}

export function SessionPicker({ sessions, shown }: SessionPickerProps): JSX.Element | null {
  const store = useStore();
  if (sessions.length === 0) {
    return null;
  }
  const known = sessions.some(info => info.session === shown);
  return (
    <label class="vg-sessions">
      <span>Session</span>
      <select
        aria-label="Session"
        value={shown ?? ''}
        onChange={event => store.attach(event.currentTarget.value)}
      >
        {!known && (
          <option value={shown ?? ''}>{shown === null ? 'choose' : 'closed session'}</option>
        )}
        {sessions.map(({ session, title, status, position, total }) => (
          <option key={session} value={session}>
            {`${title || session} (${status}, ${position} of ${total})`}
          </option>
        ))}
      </select>
    </label>
  );
}
