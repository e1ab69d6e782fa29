/** Where the tensor of a leaf comes from, and who sends it gradients: no operation of the graph made it. */
import type { JSX } from 'preact';

import type { LeafFacts, Place, Writer } from '../../protocol';
import type { SessionState } from '../../store';
import * as format from '../format';
import { PlaceLink } from '../PlaceLink';
import { NodeLink } from './NodeLink';
import { NoLine } from './Recorded';

interface LeafLinesProps {
  readonly session: SessionState;
  readonly leaf: LeafFacts;
}

export function LeafLines({ session, leaf }: LeafLinesProps): JSX.Element {
  const { users, used, made, written, unnoted } = leaf;
  const left = used - users.length;
  return (
    <section class="vg-part" aria-label="Leaf">
      {unnoted !== '' && <NoLine told={unnoted} />}
      <dl class="vg-facts vg-leaf-lines">
        {made && <Done what={made.text.endsWith('_') ? 'filled by' : 'made by'} by={made} />}
        {written && <Done what="last write" by={written} />}
        {users.length > 0 && (
          <div>
            <dt>gradient from</dt>
            <dd>
              <ul>
                {users.map(({ node, place }) => (
                  <li key={node}>
                    <NodeLink session={session} node={node} /> <Step {...{ session, node }} />{' '}
                    <At place={place} />
                  </li>
                ))}
                {left > 0 && <li class="vg-muted">{`and ${format.count(left, 'other')}`}</li>}
              </ul>
            </dd>
          </div>
        )}
      </dl>
    </section>
  );
}

/** When it ran, as on its box: nodes of one line are often called alike. */
function Step({ session, node }: { session: SessionState; node: number }): JSX.Element | null {
  const order = session.fold.knows(node) ? session.fold.node(node).order : null;
  return order === null ? null : <span class="vg-muted">{`#${format.whole(order + 1)}`}</span>;
}

/** An operation, and its line. */
function Done({ what, by }: { readonly what: string; readonly by: Writer }): JSX.Element {
  return (
    <div>
      <dt>{what}</dt>
      <dd>
        <span class="vg-mono">{by.text}</span> <At place={by.place} />
      </dd>
    </div>
  );
}

function At({ place }: { readonly place: Place | null }): JSX.Element | null {
  return (
    place && (
      <span class="vg-muted" title={place.text.trim()}>
        <PlaceLink text={format.place(place)} place={place} />
      </span>
    )
  );
}
