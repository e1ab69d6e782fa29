/** A node's name as a button that selects it. */
import type { JSX } from 'preact';

import { nodeTitle } from '../../store';
import type { SessionState } from '../../store';
import { useStore } from '../hooks';
import { StateIcon } from '../Icons';

interface NodeLinkProps {
  readonly session: SessionState;
  readonly node: number;
}

export function NodeLink({ session, node }: NodeLinkProps): JSX.Element {
  const store = useStore();
  const run = session.run.nodes[node];
  return (
    <button type="button" class="vg-node-link" onClick={() => store.select(node)}>
      {run && (
        <span class="vg-tone" data-tone={run.state}>
          <StateIcon state={run.state} share={run.needed ? run.delivered / run.needed : 0} />
        </span>
      )}
      <span class="vg-node-link-name">{nodeTitle(session, node)}</span>
    </button>
  );
}
