/** What a person can tell the run to do: one list for buttons, keys and the host's own commands. */
import type { DebuggerState, DebuggerStore } from '../../store';

export type RunCommand = 'continue' | 'step' | 'back' | 'runTo' | 'restart' | 'stop' | 'breakpoint';

/** Whether a command makes sense now. The kernel has the last word: it answers `Failed`. */
export function can({ session, port, view }: DebuggerState, command: RunCommand | 'seek'): boolean {
  const run = session?.run;
  if (!run || session.closed || port.state !== 'open') {
    return false;
  }
  switch (command) {
    case 'continue':
    case 'step':
      return run.status === 'paused' && run.current !== null;
    case 'back':
      return run.position > run.earliest;
    case 'restart':
      return run.earliest === 0 && (run.position > 0 || run.status === 'failed');
    case 'runTo':
      return view.selection !== null && run.current !== view.selection;
    case 'breakpoint':
      return view.selection !== null;
    case 'stop':
    case 'seek':
      return true;
  }
}

/** Do it, if it makes sense by what is known at this moment. */
export function perform(store: DebuggerStore, command: RunCommand): void {
  const state = store.state.value;
  if (!can(state, command)) {
    return;
  }
  const { selection } = state.view;
  switch (command) {
    case 'continue':
      store.continue();
      break;
    case 'step':
      store.step();
      break;
    case 'back':
      store.back();
      break;
    case 'restart':
      store.restart();
      break;
    case 'stop':
      store.stop();
      break;
    case 'runTo':
      if (selection !== null) {
        store.runTo(selection);
      }
      break;
    case 'breakpoint':
      if (selection !== null) {
        store.toggleBreakpoint(selection);
      }
      break;
  }
}
