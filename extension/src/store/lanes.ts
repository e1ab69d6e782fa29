/**
 * The lane beside the graph: what ran within the node that the run is in, else the graph of second order, or what
 * checkpoints have computed again.
 */
import type { Lane } from '../protocol';
import type { Want } from './requestQueue';
import type { SessionState } from './session';
import type { ViewState } from './view';

/** Does what a line of a person's runs within the node make a lane? */
function runsInside({ run: { within } }: SessionState): boolean {
  return within?.code.some(({ made }) => made.length > 0) ?? false;
}

/** The lane that there is now, if it was told. */
export function laneOf(session: SessionState): Lane | null {
  const { lane, run } = session;
  const node = runsInside(session) ? (run.within?.node ?? null) : null;
  return lane?.node === node && (node !== null || run.grows || run.recomputes) ? lane : null;
}

/** How far it is: number i of the lane is there where `at[i]` is not larger. */
export function laneProgress({ run }: SessionState, lane: Lane): number {
  return lane.node === null ? run.position : (run.within?.made ?? 0);
}

/** It grows with what is run; stepping back and forth changes nothing in it. */
export function laneWanted(session: SessionState, view: ViewState): Want | null {
  const { run } = session;
  const inside = runsInside(session);
  if (!inside && !run.grows && !run.recomputes) {
    return null;
  }
  const branch = run.branches.find(({ current }) => current)?.name ?? '';
  const about = inside ? [run.within?.node, run.within?.code.length] : ['', run.recorded];
  return {
    request: { type: 'get_lane', session: session.session, folding: view.lane },
    about: [...about, branch].join()
  };
}
