/** The user's changes of the run: at the node that they are about, and where no branch tells of them. */
import type { JSX } from 'preact';

import { editsOf } from '../../store';
import type { SessionState } from '../../store';
import * as format from '../format';
import { NodeLink } from './NodeLink';

/** Those of one node, in the Inspector. */
export function ChangesAt({
  session,
  node
}: {
  readonly session: SessionState;
  readonly node: number;
}): JSX.Element | null {
  const own = editsOf(session).filter(edit => edit.node === node);
  return own.length > 0 ? (
    <section class="vg-part vg-changes">
      <h4>Changed by you</h4>
      <ul>
        {own.map(({ text, position }, at) => (
          <li key={at}>
            <span class="vg-mono">{text}</span> <span class="vg-muted">{after(position)}</span>
          </li>
        ))}
      </ul>
    </section>
  ) : null;
}

/** Those of the branch that the run is on, each with its node. */
export function Changes({ session }: { readonly session: SessionState }): JSX.Element {
  return (
    <ul class="vg-changes">
      {editsOf(session).map(({ text, position, node }, at) => (
        <li key={at}>
          {node !== null && <NodeLink session={session} node={node} />}{' '}
          <span class="vg-mono">{text}</span> <span class="vg-muted">{after(position)}</span>
        </li>
      ))}
    </ul>
  );
}

function after(position: number): string {
  return position === 0 ? 'before the first step' : `after step ${format.whole(position)}`;
}
