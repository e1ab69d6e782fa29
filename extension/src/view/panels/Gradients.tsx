/** What came in, what the formula gave, and where it went. */
import type { JSX } from 'preact';

import type { Routed, TensorSummary, Visit } from '../../protocol';
import type { SessionState } from '../../store';
import { which } from './array/which';
import { NodeLink } from './NodeLink';
import { TensorCard } from './TensorCard';

interface GradientsProps {
  readonly session: SessionState;
  readonly visit: Visit | null;
  readonly buffers: readonly (TensorSummary | null)[];
  /** All that it waits for has arrived. */
  readonly complete: boolean;
}

export function Gradients({ session, visit, buffers, complete }: GradientsProps): JSX.Element {
  const slots = visit ? visit.incoming : buffers;
  const waiting = session.closed ? 'Not kept: the session is closed.' : 'Nothing yet.';
  return (
    <>
      <Incoming
        kind={visit ? 'incoming' : 'waiting'}
        title={visit || complete ? 'Incoming gradient' : 'Arrived so far'}
        slots={slots}
        empty={visit ? 'None: every incoming gradient was undefined.' : waiting}
      />
      {visit && visit.routed.length > 0 && (
        <section class="vg-part">
          <h4>Computed and routed</h4>
          {visit.routed.map((routed, i) => (
            <RoutedCards key={i} session={session} routed={routed} nr={i} />
          ))}
        </section>
      )}
    </>
  );
}

interface IncomingProps {
  readonly kind: 'incoming' | 'waiting';
  readonly title: string;
  readonly slots: readonly (TensorSummary | null)[];
  readonly empty: string;
}

function Incoming({ kind, title, slots, empty }: IncomingProps): JSX.Element {
  const some = slots.some(slot => slot !== null);
  return (
    <section class="vg-part">
      <h4>{title}</h4>
      {some ? (
        slots.map((slot, i) => (
          <TensorCard
            key={i}
            title={slots.length > 1 ? `slot ${i}` : 'g'}
            summary={slot}
            of={which(kind, i)}
          />
        ))
      ) : (
        <p class="vg-muted">{empty}</p>
      )}
    </section>
  );
}

interface RoutedCardsProps {
  readonly session: SessionState;
  readonly routed: Routed;
  /** Which entry of the visit it is. */
  readonly nr: number;
}

function RoutedCards({ session, routed, nr }: RoutedCardsProps): JSX.Element {
  const { edge, computed, note } = routed;
  const target = edge.node === null || edge.node >= session.size ? null : edge.node;
  const outputs =
    target === null ? 0 : (session.nodes.get(target)?.outputs.length ?? edge.input_nr + 1);
  const changed = note !== '' || !same(computed, routed.routed);
  return (
    <div class="vg-routed">
      <div class="vg-route">
        <span class="vg-mono">{edge.name === '' ? 'input' : edge.name}</span>
        <span aria-hidden="true">→</span>
        {target === null ? (
          <span class="vg-muted">not routed: no gradient needed</span>
        ) : (
          <>
            <NodeLink session={session} node={target} />
            {outputs > 1 && <span class="vg-muted">slot {edge.input_nr}</span>}
          </>
        )}
      </div>
      {changed && computed && (
        <TensorCard title="computed" summary={computed} of={which('computed', nr)} />
      )}
      {note && <p class="vg-note">{note}</p>}
      {(routed.routed ?? target) !== null && (
        <TensorCard
          title={changed && computed ? 'routed' : 'gradient'}
          summary={routed.routed}
          of={which('routed', nr)}
        />
      )}
    </div>
  );
}

function same(a: TensorSummary | null, b: TensorSummary | null): boolean {
  if (a === null || b === null) {
    return a === b;
  }
  return a.dtype === b.dtype && Object.is(a.norm, b.norm) && a.shape.join() === b.shape.join();
}
