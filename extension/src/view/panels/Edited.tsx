/** The user's changes at a node, and how they are undone: what is computed after them depends on them, too. */
import type { JSX } from 'preact';

import { editsOf } from '../../store';
import type { DebuggerState, SessionState } from '../../store';
import { useCommands, useStore } from '../hooks';

interface EditedProps {
  readonly state: DebuggerState;
  readonly session: SessionState;
  readonly node: number;
}

export function Edited({ state, session, node }: EditedProps): JSX.Element | null {
  const store = useStore();
  const live = useCommands().has('stop') && !session.closed && state.port.state === 'open';
  const { run } = session;
  const all = editsOf(run);
  const edits = all.filter(each => each.node === node);
  const last = edits.at(-1);
  if (!last) {
    return null;
  }
  const branch = run.branches.find(({ current }) => current);
  const parent = run.branches.find(({ name }) => name === branch?.parent);
  /** A branch begins with the changes that its parent had by then. */
  const left = branch?.left ?? 0;
  const inherited = parent?.edits.filter(({ position }) => position <= left).length ?? 0;
  const own = all.indexOf(last) >= inherited;
  const here = last === all.at(-1) && last.position === run.position;
  const undone =
    here && run.position === run.recorded && (run.one_way || all.length - inherited === 1);
  return (
    <div class="vg-edited">
      {`Changed by you: ${edits.map(({ text }) => text).join('; ')}`}
      {live && (undone || (parent && own)) && (
        <>
          {' '}
          <button
            type="button"
            class="vg-more-button"
            onClick={() =>
              undone ? store.actions.undoChange() : store.actions.switchBranch(parent?.name ?? '')
            }
          >
            {undone ? 'Undo' : `Go back to ${parent?.name}`}
          </button>
        </>
      )}
      {live && run.one_way && !undone && (
        <p class="vg-muted">
          It cannot be undone: PyTorch runs a node only once, and this one has run. Run the cell
          again to go back to the original.
        </p>
      )}
    </div>
  );
}
