/** Numbers of nodes in texts of the kernel, which counts them from 0 as they were recorded; the view counts steps. */
import type { SessionState } from '../../store';
import * as format from '../format';

const NODE = / \(node (\d+)\)/g;

/** "MulBackward0 (node 2)" as "MulBackward0 #3" if that step ran it, and as "MulBackward0" if it has not run. */
export function inSteps(text: string, session: Pick<SessionState, 'fold'> | null): string {
  return text.replace(NODE, (_, digits: string) => {
    const node = Number(digits);
    const order = session?.fold.knows(node) ? session.fold.node(node).order : null;
    return order === null ? '' : ` #${format.whole(order + 1)}`;
  });
}
