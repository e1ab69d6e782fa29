/** All about the selected node. */
import type { JSX } from 'preact';

import type { Inspection, Node, Saved } from '../../protocol';
import { isPlain, isTensor } from '../../store';
import type { DebuggerState, SessionState } from '../../store';
import * as format from '../format';
import { useStore } from '../hooks';
import { Icon, StateIcon } from '../Icons';
import { Accumulate, LeafGrad } from './Accumulate';
import { Gradients } from './Gradients';
import { Facts, Formulas, Recorded } from './Recorded';
import { SavedCard } from './SavedCard';
import { Stages } from './Stages';

interface InspectorProps {
  readonly state: DebuggerState;
  readonly session: SessionState;
}

export function Inspector({ state, session }: InspectorProps): JSX.Element {
  const { selection } = state.view;
  const node = selection === null ? undefined : session.graph.nodes[selection];
  if (!node) {
    return <p class="vg-empty">Select a node in the graph, or take a step.</p>;
  }
  // What the kernel said about this node; until it does, what the record of its step says.
  const inspection = state.inspection?.node.id === node.id ? state.inspection : null;
  const saved = session.saved.of(node.id);
  const done = session.fold.node(node.id).order !== null;
  const visit = done ? (inspection?.visit ?? session.visits.get(node.id) ?? null) : null;
  const fresh = inspection !== null && inspection.revision >= session.revision;
  const slots = fresh ? inspection.buffers : session.fold.arrived(node.id, node.outputs.length);
  return (
    <div class="vg-inspector" data-inspected={node.id}>
      <Head node={node} session={session} />
      {visit?.error && (
        <p class="vg-odd">
          <Icon name="warning" /> {visit.error}
        </p>
      )}
      {visit !== null || !done ? (
        <Gradients session={session} visit={visit} buffers={slots} />
      ) : (
        <p class="vg-muted vg-loading">Asking the kernel for the gradients…</p>
      )}
      {visit?.accumulate && <Accumulate record={visit.accumulate} />}
      {inspection && !visit?.accumulate && node.kind === 'leaf' && (
        <LeafGrad inspection={inspection} />
      )}
      <Formulas formulas={node.formulas} />
      <Recorded node={node} />
      <SavedPart saved={saved} />
      {visit && visit.stages.length > 0 && <Stages records={visit.stages} />}
      <section class="vg-part">
        <h4>Facts</h4>
        <Facts node={node} />
        {visit && <Costs visit={visit} />}
      </section>
    </div>
  );
}

function Head({ node, session }: { node: Node; session: SessionState }): JSX.Element {
  const run = session.fold.node(node.id);
  return (
    <header class="vg-inspector-head">
      <div class="vg-inspector-title">
        <span class="vg-tone" data-tone={run.state}>
          <StateIcon state={run.state} share={run.needed ? run.delivered / run.needed : 0} />
        </span>
        <strong class="vg-inspector-name">{node.name}</strong>
        {node.label && <span class="vg-variable">{node.label}</span>}
        <span class="vg-badge">{format.nodeState(run)}</span>
      </div>
      {node.scope.length > 0 && (
        <div class="vg-scope">
          {node.scope.map((part, i) => (
            <span key={i}>{part}</span>
          ))}
        </div>
      )}
    </header>
  );
}

function SavedPart({ saved }: { saved: readonly Saved[] }): JSX.Element | null {
  const tensors = saved.filter(isTensor);
  const plain = saved.filter(isPlain);
  return saved.length > 0 ? (
    <section class="vg-part">
      <h4>Saved for this formula</h4>
      {tensors.length > 0 && (
        <ul class="vg-saved-list">
          {tensors.map(value => (
            <SavedCard key={value.name} saved={value} />
          ))}
        </ul>
      )}
      {plain.map(({ name, value }) => (
        <div key={name} class="vg-mono vg-plain">{`${name} = ${value}`}</div>
      ))}
    </section>
  ) : null;
}

function Costs({ visit }: { visit: NonNullable<Inspection['visit']> }): JSX.Element {
  return (
    <dl class="vg-facts">
      <div>
        <dt>took</dt>
        <dd>{format.seconds(visit.seconds)}</dd>
      </div>
      <div>
        <dt>released</dt>
        <dd>{format.bytes(visit.released_bytes)}</dd>
      </div>
    </dl>
  );
}

/** Whether the inspector goes along with the steps. */
export function FollowButton({ on }: { on: boolean }): JSX.Element {
  const store = useStore();
  return (
    <button
      type="button"
      class="vg-button"
      aria-label="Follow the run"
      aria-pressed={on}
      title={
        on ? 'Shows the node of the last step' : 'Stays on the selected node (Esc follows again)'
      }
      onClick={() => store.follow(!on)}
    >
      <Icon name="follow" />
    </button>
  );
}
