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
    return 'It is the only node that is ready.';
  }
  const ready = `${format.whole(queue.length)} nodes that are ready`;
  if (first.priority === null) {
    return second.priority === null
      ? `It is a leaf, and leaves run before all others; of ${format.count(
          queue.filter(({ priority }) => priority === null).length,
          'leaf',
          'leaves'
        )} it was the first to be ready.`
      : 'It is a leaf: leaves run as soon as they are ready.';
  }
  return first.priority === second.priority
    ? `Of the ${ready} it was the first to be.`
    : `Of the ${ready} it was recorded last.`;
}

/** What a node still waits for. */
export function whyNot(delivered: number, needed: number): string {
  const missing = needed - delivered;
  return `waits for ${missing === needed ? 'all' : `${missing} more`} of ${needed}`;
}
