/** What a group's counts say: its state, how far it is, what is wrong in it. */
import type { NodeState, Tally } from '../../protocol';
import * as format from '../format';

/** The state of a group; the most urgent of what is in it. */
export function groupState(tally: Tally, holdsCurrent: boolean): NodeState {
  if (tally.error > 0) {
    return 'error';
  }
  if (holdsCurrent) {
    return 'current';
  }
  if (tally.ready > 0) {
    return 'ready';
  }
  const { nodes, done, captured, skipped } = tally;
  if (done + captured + skipped < nodes || nodes === 0) {
    return 'waiting';
  }
  return done > 0 ? 'done' : captured > 0 ? 'captured' : 'skipped';
}

export function progressText({ done, nodes }: Tally): string {
  return `${format.whole(done)} of ${format.count(nodes, 'node')} done`;
}

/** What is wrong, or waits for a person: empty in most groups. */
export function concerns(tally: Tally, breakpoints: number): readonly string[] {
  return [
    tally.error > 0 ? format.count(tally.error, 'error') : '',
    tally.nonfinite > 0 ? `${format.whole(tally.nonfinite)} not finite` : '',
    tally.stale > 0 ? `${format.whole(tally.stale)} stale` : '',
    breakpoints > 0 ? format.count(breakpoints, 'breakpoint') : ''
  ].filter(Boolean);
}

/** How many of `breakpoints` are among nodes `first` ... `last - 1`. */
export function countWithin(breakpoints: readonly number[], first: number, last: number): number {
  return breakpoints.filter(node => first <= node && node < last).length;
}
