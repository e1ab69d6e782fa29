/**
 * The node that a paused run is about. Banner, graph, inspector, What if and the marked line of code all speak of it,
 * unless a person has selected another one. Python marks the line by the same rule (`Stopped.focus`).
 */
import type { SessionState } from './session';

/** The parts of a session that say where it stands. */
type Standing = Pick<SessionState, 'history'> & {
  readonly run: Pick<SessionState['run'], 'current' | 'position' | 'stopped'>;
};

/**
 * Paused before a node: that node. Stopped because a node did something (made a NaN, raised, wrote): that node, and for a
 * NaN of the forward pass the node whose forward made it. At the end: the node that ran last.
 */
export function focusOf(session: Standing): number | null {
  const { current, stopped } = session.run;
  return stopped?.birth?.born ?? stopped?.node ?? current ?? lastRun(session);
}

/** The node that ran last; null: none has, or it is not known yet. */
export function lastRun({ run, history }: Standing): number | null {
  return run.position > 0 ? (history.node(run.position - 1) ?? null) : null;
}

/** What the view looks at. */
interface Looked {
  readonly session: Standing | null;
  readonly view: { readonly follow: boolean; readonly selection: number | null };
}

/** Did a person select another node than the one that the run is about? */
export function isAway({ session, view }: Looked): boolean {
  return session !== null && !view.follow && view.selection !== null;
}
