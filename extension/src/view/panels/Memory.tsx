/** Bytes of saved values over the steps, and who holds most of them now. */
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';

import type { Memory as Held } from '../../protocol';
import type { SessionState } from '../../store';
import * as format from '../format';
import { useStore } from '../hooks';
import { NodeLink } from './NodeLink';

const HEIGHT = 40;

export function Memory({ session }: { session: SessionState }): JSX.Element {
  const store = useStore();
  const { memory, run } = session;
  useEffect(() => {
    store.watchMemory(true);
    return () => store.watchMemory(false);
  }, [store]);
  if (!memory) {
    return <p class="vg-empty vg-loading">Asking the kernel what is held…</p>;
  }
  if (memory.peak === 0) {
    return <p class="vg-empty">Nothing is saved.</p>;
  }
  const { holders, others, others_bytes } = memory;
  return (
    <div class="vg-memory">
      <Curve memory={memory} position={run.position} steps={Math.max(run.total, 1)} />
      <p class="vg-muted">{peakText(memory)}</p>
      <ol class="vg-holders" aria-label="Largest holders">
        {holders.map(({ node, bytes }) => (
          <li key={node}>
            <NodeLink session={session} node={node} aligned />
            <span class="vg-norm">{format.bytes(bytes)}</span>
          </li>
        ))}
        {others > 0 && (
          <li class="vg-muted vg-other-holders">{othersText(others, others_bytes)}</li>
        )}
      </ol>
    </div>
  );
}

/** What several nodes hold is counted once, for the first of them. */
export function othersText(others: number, alone: number): string {
  const more = format.count(others, 'more node');
  return alone === 0 ? `shared with ${more}` : `${more}, ${format.bytes(alone)}`;
}

/** When most was held, and where the rest of it went. */
export function peakText({ held, peak, curve }: Pick<Held, 'held' | 'peak' | 'curve'>): string {
  const at = curve.find(([, bytes]) => bytes === peak)?.[0]; // Of a long run not each step is told.
  const when =
    at === 0 ? ', before the first node' : at ? `, after ${format.count(at, 'node')}` : '';
  const most = `At most ${format.bytes(peak)} was held${when}.`;
  if (held === peak) {
    return most;
  }
  const released = held === 0 ? 'All of it is' : `${format.bytes(peak - held)} of it is`;
  return `${most} ${released} released: a node releases what it saved when it has run.`;
}

interface CurveProps {
  readonly memory: Held;
  readonly position: number;
  readonly steps: number;
}

/** Drawn as steps: a value is held until the visit that releases it. */
function Curve({ memory, position, steps }: CurveProps): JSX.Element {
  const { held, peak, curve } = memory;
  const x = (step: number): string => ((100 * step) / steps).toFixed(2);
  const y = (bytes: number): string => (HEIGHT - ((HEIGHT - 2) * bytes) / peak).toFixed(1);
  const line = curve
    .map(([step, bytes], i) => `${i === 0 ? `M${x(step)},` : `H${x(step)}V`}${y(bytes)}`)
    .join('');
  return (
    <svg
      class="vg-curve"
      viewBox={`0 0 100 ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={`${format.bytes(held)} held now, ${format.bytes(peak)} at the peak`}
    >
      <path class="vg-curve-area" d={`${line}V${HEIGHT}H0Z`} />
      <path class="vg-curve-line" d={line} />
      <path class="vg-curve-now" d={`M${x(position)},0V${HEIGHT}`} />
    </svg>
  );
}

/** Empty where nobody looks: what was held some steps ago is not what is held. */
export function memoryNote({ memory }: SessionState): string {
  return memory ? `${format.bytes(memory.held)} of ${format.bytes(memory.peak)}` : '';
}
