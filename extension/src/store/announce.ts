/** What a screen reader says after the run moved. One short sentence each. */
import type { Within } from '../protocol';
import type { RunHead, SessionState } from './session';

export function announce(before: RunHead | null, now: SessionState): string {
  const { run } = now;
  if (run.status === 'closed' || now.closed) {
    return 'Session closed';
  }
  if (run.status === 'failed') {
    return 'Backward failed'; // What happened is read out by the alert that tells it.
  }
  if (run.within) {
    return run.within === before?.within ? '' : inside(now, run.within);
  }
  if (!before || run.position === before.position) {
    if (before?.within) {
      return `Before ${nodeTitle(now, before.within.node)} again`;
    }
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

/** Behind which line or stage it is, and within which node. */
function inside(now: SessionState, { node, done, stages, lines, code, made }: Within): string {
  const coming = code[lines];
  const before = code.slice(0, lines).reduce((sum, each) => sum + each.made.length, 0);
  const ran = coming && coming.stage <= done ? coming.made[made - before - 1] : undefined;
  if (ran) {
    return `Within ${coming?.place.text}, after ${ran.name} ${ran.label}`.trimEnd();
  }
  const line = code[lines - 1];
  const behind = line && line.stage >= done ? line.place.text : (stages[done - 1]?.stage ?? '');
  const of = `Within ${nodeTitle(now, node)}, ${done} of ${stages.length} stages done`;
  return behind === '' ? of : `${of}, after ${behind}`;
}

/** The node's name, and for a leaf its variable. */
export function nodeTitle(state: SessionState, id: number): string {
  const known = state.names.of(id);
  if (!known) {
    return `node ${id}`;
  }
  return known.label ? `${known.name} ${known.label}` : known.name;
}
