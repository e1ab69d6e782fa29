/**
 * What a step changed, to be seen from far away: something goes once along each line that it delivered over. Where a
 * person wants less motion nothing does (lines.raw.css).
 */
import type { JSX } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';

import type { SessionState } from '../../store';
import { memo } from '../memo';
import type { Picture } from './picture';
import { linePath } from './routePath';

/** Of a jump over more steps than this it is not said what each did. */
const MOST_STEPS = 8;

interface DeliveriesProps {
  readonly session: SessionState;
  readonly picture: Picture;
}

function DeliveriesInner({ session, picture }: DeliveriesProps): JSX.Element {
  const { position } = session.run;
  const before = useRef({ session: session.session, position });
  const lines = useMemo(() => {
    const was = before.current;
    return was.session === session.session ? deliveredOver(session, was.position, position) : [];
  }, [session.session, position]);
  useEffect(() => {
    before.current = { session: session.session, position };
  }, [session.session, position]);
  return (
    <g key={position} class="vg-deliveries" aria-hidden="true">
      {lines.map(index => {
        const line = picture.drawing.lines[index];
        return (
          line && (
            <path key={line.key} class="vg-delivery" d={linePath(line.points)} pathLength={1} />
          )
        );
      })}
    </g>
  );
}

/** The lines over which the steps from one position to a later one sent gradients. */
export function deliveredOver(session: SessionState, from: number, to: number): readonly number[] {
  if (to <= from || to - from > MOST_STEPS) {
    return [];
  }
  const lines = new Set<number>();
  for (const { index: step, node, routed } of session.visits.values()) {
    if (from <= step && step < to) {
      for (const { edge, index, routed: value } of routed) {
        const line =
          edge.node === null || value === null
            ? undefined
            : session.fold.line(node, index, edge.node);
        if (line !== undefined) {
          lines.add(line);
        }
      }
    }
  }
  return [...lines];
}

export const Deliveries = memo(DeliveriesInner);
