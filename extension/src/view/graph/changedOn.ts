/** A gradient that the user has changed after it came over a line: the line says both. */
import type { SessionState } from '../../store';
import type { Picture } from './picture';

/**
 * The norm of what the user has put in the place of the one gradient that came over line number `index`; undefined
 * where that is as it came, or where what arrived is a sum. `edited`: the nodes whose gradient was changed.
 */
export function changedOn(
  { drawing, arriving }: Picture,
  { fold, visits }: Pick<SessionState, 'fold' | 'visits'>,
  edited: ReadonlySet<number | null>,
  index: number
): number | null | undefined {
  const { target = -1, slot = 0, edges = 0 } = drawing.lines[index] ?? {};
  const { node = null, uses = 1 } = drawing.boxes[target] ?? {};
  const came = arriving[target]?.filter(line => drawing.lines[line]?.slot === slot) ?? [];
  if (node === null || !edited.has(node) || edges !== 1 || uses !== 1 || came.length !== 1) {
    return undefined;
  }
  const waits = fold.node(node).order === null;
  const now = waits ? fold.arrived(node, slot + 1)[slot] : visits.get(node)?.incoming[slot];
  const norm = now ? now.norm : waits || slot > 0 ? undefined : fold.node(node).grad_norm;
  return norm === fold.flow(index) ? undefined : norm;
}
