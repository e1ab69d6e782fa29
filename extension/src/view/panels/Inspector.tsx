/** All about the selected node. */
import type { JSX } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

import type { Mathematics, Node, NodeRun, Saved, Visit } from '../../protocol';
import {
  comparedOf,
  focusOf,
  isAway,
  isPlain,
  isTensor,
  lastRun,
  plainText,
  runningIn,
  sizesOf
} from '../../store';
import type { DebuggerState, SessionState } from '../../store';
import * as format from '../format';
import { useStore } from '../hooks';
import { keyText } from '../shortcuts';
import { StateIcon } from '../Icons';
import { NodeLink } from './NodeLink';
import { Accumulate, LeafGrad } from './Accumulate';
import { Beside } from './Beside';
import { Calls } from './Calls';
import { Gradients } from './Gradients';
import { LeafLines } from './LeafLines';
import { Edited } from './Edited';
import { Facts, Formulas, Recorded } from './Recorded';
import { RanksThere } from './RanksThere';
import { SavedCard } from './SavedCard';
import { Stages } from './Stages';
import { WhatIf } from './WhatIf';

interface InspectorProps {
  readonly state: DebuggerState;
  readonly session: SessionState;
}

export function Inspector({ state, session }: InspectorProps): JSX.Element {
  const { selection: id } = state.view;
  // Who reads on about one node begins at the head of the next.
  const element = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const body = element.current?.closest('.vg-region-body');
    if (body) {
      body.scrollTop = 0;
    }
  }, [id]);
  if (id === null) {
    return (
      <p class="vg-empty">
        {`Select a node: click it, or walk there with arrows and press Enter. Step (${keyText('step')}) shows what it runs.`}
      </p>
    );
  }
  // What the kernel said about this node; until it does, what the record of its step says.
  const inspection = state.inspection?.node.id === id ? state.inspection : null;
  const { fold } = session;
  const node = session.nodes.get(id);
  const fresh = inspection !== null && inspection.revision >= session.revision;
  // Of a node that is not drawn it may not be known how it stands, until the kernel has told.
  const known = fold.knows(id) || fresh;
  const done = fold.knows(id) ? fold.node(id).order !== null : (inspection?.visit ?? null) !== null;
  const visit = known && done ? (inspection?.visit ?? session.visits.get(id) ?? null) : null;
  const slots = fresh ? inspection.buffers : fold.arrived(id, node?.outputs.length ?? 1);
  const runs = runningIn(state) === id;
  const compared = comparedOf(session, state.view);
  const saved = fold.draws(id) ? session.saved.of(id) : (inspection?.node.saved ?? []);
  return (
    <div class="vg-inspector" ref={element} data-inspected={id}>
      {!isAway(state) && <JustRan state={state} session={session} />}
      <Head
        {...{ id, node, session, visit, known }}
        running={runningIn(state)}
        away={isAway(state)}
        differsFirst={compared?.first === id}
      />
      {node && <Recorded node={node} unnoted={inspection?.unnoted ?? ''} />}
      {inspection?.leaf && <LeafLines session={session} leaf={inspection.leaf} />}
      <Beside session={session} node={id} compared={compared} />
      <Edited state={state} session={session} node={id} />
      <RanksThere state={state} session={session} node={id} />
      <Calls state={state} session={session} node={id} />
      {runs ? (
        <p class="vg-muted vg-loading">Running. Its gradients are shown when it pauses or ends.</p>
      ) : known && (visit !== null || !done) ? (
        <Gradients
          session={session}
          visit={visit}
          buffers={slots}
          complete={fold.knows(id) && ['current', 'ready'].includes(fold.state(id))}
        />
      ) : (
        <p class="vg-muted vg-loading">Asking the kernel for the gradients…</p>
      )}
      {known && !runs && <WhatIf {...{ state, session, visit }} node={id} />}
      {visit?.accumulate && <Accumulate record={visit.accumulate} />}
      {inspection && !visit?.accumulate && inspection.node.kind === 'leaf' && (
        <LeafGrad inspection={inspection} />
      )}
      {node && <Formulas formulas={node.formulas} maths={inspection?.maths ?? NONE} />}
      <SavedPart saved={saved} />
      {visit && visit.stages.length > 0 && <Stages records={visit.stages} />}
      {(node ?? visit) && (
        <section class="vg-part">
          <h4>Facts</h4>
          {node && <Facts node={node} />}
          {visit && <Costs visit={visit} />}
        </section>
      )}
    </div>
  );
}

const NONE: readonly Mathematics[] = [];

/** The node before the current one in time, one click away. */
function JustRan({ state, session }: InspectorProps): JSX.Element | null {
  const last = lastRun(session);
  if (last === null || last === focusOf(session) || runningIn(state) !== null) {
    return null;
  }
  return (
    <p class="vg-just-ran" title={`Select the node that ran last (${keyText('last-node')})`}>
      {'just ran '}
      <NodeLink session={session} node={last} />
    </p>
  );
}

interface HeadProps {
  readonly id: number;
  readonly session: SessionState;
  /** Unknown until the kernel has told, if it is not drawn. */
  readonly node: Node | undefined;
  readonly visit: Visit | null;
  /** Is it known whether it was run? */
  readonly known: boolean;
  /** The node that is running now. */
  readonly running: number | null;
  /** It is selected, and not the current node. */
  readonly away: boolean;
  /** The comparison has selected it: of all nodes that differ it ran first. */
  readonly differsFirst: boolean;
}

function Head(props: HeadProps): JSX.Element {
  const store = useStore();
  const { id, session, node, visit, known, running, away, differsFirst } = props;
  const { fold } = session;
  const { name, label } = node ?? session.names.of(id) ?? { name: `node ${id}`, label: '' };
  const run = fold.knows(id) ? fold.node(id) : visit ? doneBy(visit) : null;
  const made = format.madeAt(visit);
  const wrong = made !== null || (run?.grad_norm != null && !Number.isFinite(run.grad_norm));
  return (
    <header class="vg-inspector-head">
      <div class="vg-inspector-title">
        {known && run && (
          <span class="vg-tone" data-tone={wrong ? 'error' : run.state}>
            <StateIcon
              state={run.state}
              share={run.needed ? run.delivered / run.needed : 0}
              wrong={wrong}
            />
          </span>
        )}
        <strong class="vg-inspector-name">{name}</strong>
        {label && <span class="vg-variable">{label}</span>}
        {known && (
          <span class={wrong ? 'vg-badge vg-odd' : 'vg-badge'}>
            {run ? format.nodeState(run, format.whereRuns(running, run, id)) : 'not run'}
            {made !== null && `, made ${format.brief(made)}`}
          </span>
        )}
        {away && (
          <span class="vg-badge vg-yours">
            {differsFirst ? 'first to differ' : 'selected by you'}
          </span>
        )}
        {!fold.draws(id) && (
          <button
            type="button"
            class="vg-more-button"
            title="Expand the groups around this node"
            onClick={() => store.fold({ near: id })}
          >
            Show in the graph
          </button>
        )}
      </div>
      {node && node.scope.length > 0 && (
        <div class="vg-scope">
          {node.scope.map((part, i) => (
            <span key={i}>{part}</span>
          ))}
        </div>
      )}
    </header>
  );
}

/** How a node stands that is not drawn, and was run before the view came. */
function doneBy({ index, incoming, error }: Visit): NodeRun {
  return {
    state: error === '' ? 'done' : 'error',
    delivered: 0,
    needed: 0,
    order: index,
    reason: '',
    grad_norm: incoming[0]?.norm ?? null,
    tangents: sizesOf(incoming[0])
  };
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
            <SavedCard key={value.name} saved={value} own />
          ))}
        </ul>
      )}
      {plain.map(value => (
        <div key={value.name} class="vg-mono vg-plain">
          {plainText(value)}
        </div>
      ))}
    </section>
  ) : null;
}

function Costs({ visit }: { visit: Visit }): JSX.Element {
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
