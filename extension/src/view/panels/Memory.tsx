/** Bytes of saved values over the steps, and who holds most of them now. */
import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';

import type { SessionState } from '../../store';
import * as format from '../format';
import { memoryCurve } from './memoryCurve';
import type { MemoryCurve } from './memoryCurve';
import { NodeLink } from './NodeLink';

const HEIGHT = 40;
const HOLDERS = 3;

export function Memory({ session }: { session: SessionState }): JSX.Element {
  const curve = useMemo(() => memoryCurve(session), [session.saved, session.history, session.run]);
  const { position } = session.run;
  if (curve.peak === 0) {
    return <p class="vg-empty">Nothing is saved.</p>;
  }
  const now = curve.held[position] ?? 0;
  const total = curve.holders.reduce((sum, { bytes }) => sum + bytes, 0);
  return (
    <div class="vg-memory">
      <Curve curve={curve} position={position} steps={Math.max(session.run.total, 1)} now={now} />
      <ol class="vg-holders" aria-label="Largest holders">
        {curve.holders.slice(0, HOLDERS).map(({ node, bytes }) => (
          <li key={node}>
            <NodeLink session={session} node={node} />
            <span class="vg-norm">{format.bytes(bytes)}</span>
          </li>
        ))}
        {curve.holders.length > HOLDERS && (
          <li class="vg-muted">
            {`${format.count(curve.holders.length - HOLDERS, 'more node')}, `}
            {format.bytes(
              total - curve.holders.slice(0, HOLDERS).reduce((sum, { bytes }) => sum + bytes, 0)
            )}
          </li>
        )}
      </ol>
    </div>
  );
}

interface CurveProps {
  readonly curve: MemoryCurve;
  readonly position: number;
  readonly steps: number;
  readonly now: number;
}

/** Drawn as steps: a value is held until the visit that releases it. */
function Curve({ curve: { held, peak }, position, steps, now }: CurveProps): JSX.Element {
  const x = (step: number): string => ((100 * step) / steps).toFixed(2);
  const y = (bytes: number): string => (HEIGHT - ((HEIGHT - 2) * bytes) / peak).toFixed(1);
  const line = held
    .map((bytes, step) => `${step === 0 ? 'M0,' : `H${x(step)}V`}${y(bytes)}`)
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

export function memoryNote(session: SessionState): string {
  const { held, peak } = memoryCurve(session);
  return `${format.bytes(held[session.run.position] ?? 0)} of ${format.bytes(peak)}`;
}
