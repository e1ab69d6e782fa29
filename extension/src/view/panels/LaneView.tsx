/** The lane beside the graph, with what can be done with it. */
import type { JSX } from 'preact';

import type { Lane } from '../../protocol';
import { laneOf, laneProgress } from '../../store';
import type { SessionState } from '../../store';
import * as format from '../format';
import { LanePicture } from '../graph/LanePicture';
import { useStore } from '../hooks';

/** Of second order. */
export function laneNote(session: SessionState): string {
  const lane = laneOf(session);
  if (!lane?.drawing) {
    return '';
  }
  const progress = laneProgress(session, lane);
  const nodes = lane.made.filter(
    ({ kind }, i) => kind !== 'input' && (lane.at[i] ?? 0) <= progress
  );
  return `${format.count(nodes.length + lane.left_out, 'node')} so far`;
}

export function LaneView({ session }: { session: SessionState }): JSX.Element | null {
  const store = useStore();
  const lane = laneOf(session);
  if (!lane?.drawing) {
    return session.run.within ? null : (
      <p class="vg-empty">
        {session.run.grows
          ? 'Each step adds the operations that it records to the second-order graph here.'
          : 'Operations recomputed by a checkpoint appear here.'}
      </p>
    );
  }
  return (
    <>
      {lane.left_out > 0 && <LeftOut lane={lane} />}
      <LanePicture
        lane={lane}
        drawing={lane.drawing}
        progress={laneProgress(session, lane)}
        turn={(group, open) => store.foldLane(group, open)}
      />
    </>
  );
}

function LeftOut({ lane }: { lane: Lane }): JSX.Element {
  return (
    <p class="vg-muted vg-lane-left">{`${format.whole(lane.left_out)} earlier ones are not drawn`}</p>
  );
}
