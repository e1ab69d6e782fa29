/** Nodes at which something is wrong: that failed, saved what is stale, or got a gradient that is not finite. */
import type { SessionState } from './session';

/** In order. Of nodes that are not drawn those with a stale value are known, and those that were run here. */
export function problems({ fold, saved, drawing, visits }: SessionState): readonly number[] {
  const found = new Set(saved.staleNodes);
  for (const { id } of drawing.nodes) {
    const { state, grad_norm } = fold.node(id);
    if (state === 'error' || (grad_norm !== null && !Number.isFinite(grad_norm))) {
      found.add(id);
    }
  }
  for (const [node, { error, incoming }] of visits) {
    if (error !== '' || incoming.some(each => each?.norm != null && !Number.isFinite(each.norm))) {
      found.add(node);
    }
  }
  return [...found].sort((a, b) => a - b);
}

/** The one after `node`; behind the last again the first. */
export function nextProblem(session: SessionState, node: number | null): number | null {
  const found = problems(session);
  return found.find(each => each > (node ?? -1)) ?? found[0] ?? null;
}
