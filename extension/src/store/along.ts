/** Groups open around the node that the run is about, and close behind it, while a person follows the run. */
import { focusOf } from './focus';
import type { SessionState } from './session';
import type { ViewFolding } from './view';

/**
 * The folding to be asked for: the same object where nothing is to change. What was closed by hand stays closed; of
 * a leaf that has uses everywhere there is no place to go to.
 */
export function foldingAlong(folding: ViewFolding, session: SessionState): ViewFolding {
  const { fold, size, leaves, drawing } = session;
  const current = focusOf(session);
  if (current === null || folding.near === current || current >= size - leaves) {
    return folding;
  }
  if (fold.draws(current)) {
    return isLeft(folding.near, current, session) ? { ...folding, near: current } : folding;
  }
  const hiding = drawing.boxes.find(
    ({ kind, first, last }) =>
      (kind === 'group' || kind === 'cells') && first <= current && current < last
  );
  const group = hiding?.group ?? null;
  return group !== null && folding.closed.has(group) ? folding : { ...folding, near: current };
}

/** Was a group opened around node `near` that `current` is not in? */
function isLeft(near: number | null, current: number, { drawing }: SessionState): boolean {
  const groups = new Map(drawing.groups.map(group => [group.id, group]));
  return (
    near !== null &&
    drawing.frames.some(frame => {
      const { first, last } = groups.get(frame.group) ?? { first: 0, last: 0 };
      const holds = (node: number): boolean => first <= node && node < last;
      return holds(near) && !holds(current);
    })
  );
}
