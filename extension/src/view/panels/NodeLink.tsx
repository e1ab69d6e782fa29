/** A node's name as a button that selects it. */
import type { JSX } from 'preact';

import type { SessionState } from '../../store';
import * as format from '../format';
import { useStore } from '../hooks';
import { StateIcon } from '../Icons';
import { Middle } from './Middle';

interface NodeLinkProps {
  readonly session: SessionState;
  readonly node: number;
  /** In a list: the name begins at the same place whether it is known how the node stands or not. */
  readonly aligned?: boolean;
}

export function NodeLink({ session, node, aligned = false }: NodeLinkProps): JSX.Element {
  const store = useStore();
  const run = session.fold.knows(node) ? session.fold.node(node) : null;
  const wrong =
    run?.state === 'done' &&
    ((run.grad_norm !== null && !Number.isFinite(run.grad_norm)) ||
      format.madeAt(session.visits.get(node)) !== null);
  return (
    <button type="button" class="vg-node-link" onClick={() => store.select(node)}>
      {!run && aligned && (
        <span class="vg-tone">
          <svg class="vg-icon" viewBox="0 0 16 16" aria-hidden="true" />
        </span>
      )}
      {run && (
        <span class="vg-tone" data-tone={wrong ? 'error' : run.state}>
          <StateIcon
            state={run.state}
            share={run.needed ? run.delivered / run.needed : 0}
            wrong={wrong}
          />
        </span>
      )}
      <NodeName session={session} node={node} />
    </button>
  );
}

/** In a list the variable comes first: where room is short, "Accumul…" would say nothing. */
export function NodeName({ session, node }: NodeLinkProps): JSX.Element {
  const { name = `node ${node}`, label = '' } = session.names.of(node) ?? {};
  return label === '' ? (
    <span class="vg-node-link-name">
      <Middle text={name} />
    </span>
  ) : (
    <span class="vg-node-link-name">
      <span class="vg-mono">
        <Middle text={label} />
      </span>{' '}
      <span class="vg-muted" title={name}>
        {name}
      </span>
    </span>
  );
}
