/** The user's changes of a run, which its numbers have in them. */
import type { Edit } from '../protocol';
import type { SessionState } from './session';

const NONE: readonly Edit[] = [];

/** Those of the branch that the run is on, as far as they hold where it stands. */
export function editsOf({ run }: Pick<SessionState, 'run'>): readonly Edit[] {
  const edits = run.branches.find(({ current }) => current)?.edits ?? NONE;
  return edits.length === 0 ? NONE : edits.filter(({ position }) => position <= run.position);
}
