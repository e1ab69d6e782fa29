/** What a screen reader says after the run moved. One short sentence each. */
import type { RunHead, SessionState } from './session';

export function announce(before: RunHead | null, now: SessionState): string {
  const { run } = now;
  if (run.status === 'closed' || now.closed) {
    return 'Session closed';
  }
  if (run.status === 'failed') {
    return 'Backward failed'; // What happened is read out by the alert that tells it.
  }
  if (!before || run.position === before.position) {
    return run.stopped && before?.stopped !== run.stopped ? run.stopped.text : '';
  }
  if (run.stopped) {
    return `${run.stopped.text}, ${run.position} of ${run.total}`;
  }
  const at = `${run.position} of ${run.total}`;
  const next = run.current === null ? '' : `, next ${nodeTitle(now, run.current)}`;
  if (run.position < before.position) {
    return run.position === 0 ? `Back at the start${next}` : `Back to ${at}${next}`;
  }
  const finished = run.status === 'finished' ? '. Backward finished' : '';
  const last = now.history.node(run.position - 1);
  if (run.position === before.position + 1 && last !== undefined) {
    return `${nodeTitle(now, last)} done, ${at}${finished}`;
  }
  return `${run.position - before.position} nodes done, ${at}${finished || next}`;
}

/** The node's name, and for a leaf its variable. */
export function nodeTitle(state: SessionState, id: number): string {
  const known = state.names.of(id);
  if (!known) {
    return `node ${id}`;
  }
  return known.label ? `${known.name} ${known.label}` : known.name;
}
