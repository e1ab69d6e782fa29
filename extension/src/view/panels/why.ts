/** The engine's choice in words. */
import type { Ready } from '../../protocol';
import * as format from '../format';

/** Why the first of the ready queue runs next. Leaves come first, then what was recorded last. */
export function whyNext(queue: readonly Ready[]): string {
  const [first, second] = queue;
  if (!first) {
    return '';
  }
  if (!second) {
    return 'Only this node is ready.';
  }
  const ready = `${format.whole(queue.length)} ready nodes`;
  if (first.priority === null) {
    return second.priority === null
      ? `Leaves run first; of ${format.count(
          queue.filter(({ priority }) => priority === null).length,
          'leaf',
          'leaves'
        )}, this one was ready first.`
      : 'Leaves run as soon as they are ready.';
  }
  return first.priority === second.priority
    ? `Chosen from ${ready}: ready first.`
    : `Chosen from ${ready}: recorded last.`;
}

/** What a node still waits for. */
export function whyNot(delivered: number, needed: number): string {
  const missing = needed - delivered;
  return `waiting for ${missing === needed ? 'all' : `${missing} more`} of ${needed}`;
}
