/** Bytes of saved values over the steps, and who holds most of them now. */
import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';

import type { Held, SessionState } from '../../store';
import * as format from '../format';
import { curvePoints } from './memoryCurve';
import { NodeLink } from './NodeLink';

const HEIGHT = 40;
const HOLDERS = 3;

export function Memory({ session }: { session: SessionState }): JSX.Element {
  const { held, run } = session;
  const { position } = run;
  const largest = useMemo(() => held.largest(HOLDERS), [held, run]);
  if (held.peak === 0) {
    return <p class="vg-empty">Nothing is saved.</p>;
  }
  const others = held.byNode.size - largest.length;
  const told = largest.reduce((sum, { bytes }) => sum + bytes, 0);
  return (
    <div class="vg-memory">
      <Curve held={held} position={position} steps={Math.max(run.total, 1)} />
      <ol class="vg-holders" aria-label="Largest holders">
        {largest.map(({ node, bytes }) => (
          <li key={node}>
            <NodeLink session={session} node={node} />
            <span class="vg-norm">{format.bytes(bytes)}</span>
          </li>
        ))}
        {others > 0 && (
          <li class="vg-muted">
            {`${format.count(others, 'more node')}, ${format.bytes(held.ofNodes - told)}`}
          </li>
        )}
      </ol>
    </div>
  );
}

interface CurveProps {
  readonly held: Held;
  readonly position: number;
  readonly steps: number;
}

/** Drawn as steps: a value is held until the visit that releases it. */
function Curve({ held, position, steps }: CurveProps): JSX.Element {
  const { bytes: now, peak } = held;
  const x = (step: number): string => ((100 * step) / steps).toFixed(2);
  const y = (bytes: number): string => (HEIGHT - ((HEIGHT - 2) * bytes) / peak).toFixed(1);
  const line = curvePoints(held.steps)
    .map(([step, bytes]) => `${step === 0 ? 'M0,' : `H${x(step)}V`}${y(bytes)}`)
    .join('');
  return (
    <svg
      class="vg-curve"
      viewBox={`0 0 100 ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={`${format.bytes(now)} held now, ${format.bytes(peak)} at the peak`}
    >
      <path class="vg-curve-area" d={`${line}V${HEIGHT}H0Z`} />
      <path class="vg-curve-line" d={line} />
      <path class="vg-curve-now" d={`M${x(position)},0V${HEIGHT}`} />
    </svg>
  );
}

export function memoryNote({ held }: SessionState): string {
  return `${format.bytes(held.bytes)} of ${format.bytes(held.peak)}`;
}
