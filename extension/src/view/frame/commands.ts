/** Which moves make sense now. The kernel has the last word: it answers `Failed` to the others. */
import type { DebuggerState } from '../../store';

export interface Able {
  readonly advance: boolean;
  readonly back: boolean;
  readonly runTo: boolean;
  readonly restart: boolean;
  readonly stop: boolean;
  readonly seek: boolean;
  readonly mark: boolean;
}

export function can({ session, port, view }: DebuggerState): Able {
  const run = session?.run;
  const open = session !== null && !session.closed && port.state === 'open';
  const selected = open && view.selection !== null;
  return {
    advance: open && run?.status === 'paused' && run.current !== null,
    back: open && run !== undefined && run.position > run.earliest,
    runTo: selected && run?.current !== view.selection,
    restart: open && run !== undefined && (run.position > 0 || run.status === 'failed'),
    stop: open,
    seek: open,
    mark: selected
  };
}
