/** An error in three lines: what, where with a link to the node, what to do. */
import type { JSX } from 'preact';

import { useStore } from '../hooks';
import { PlaceLink } from '../PlaceLink';
import { Sentence } from '../Sentence';
import { errorLines } from './errorLines';

interface FaultProps {
  readonly text: string;
  /** The node that it is about, with its name, if it is known. */
  readonly node: { readonly id: number; readonly name: string } | null;
}

export function Fault({ text, node }: FaultProps): JSX.Element {
  const store = useStore();
  const { what, where, fix, details } = errorLines(text);
  return (
    <div class="vg-fault">
      <div class="vg-fault-what">
        <Sentence text={what} />
      </div>
      {(where || node) && (
        <div>
          {where && (
            <>
              <b>Where</b>{' '}
              <span class="vg-mono">
                <PlaceLink text={where} />
              </span>{' '}
            </>
          )}
          {node && (
            <button type="button" class="vg-link" onClick={() => store.select(node.id)}>
              {`Show ${node.name}`}
            </button>
          )}
        </div>
      )}
      {fix && (
        <div>
          <b>Fix</b> <Sentence text={fix} />
        </div>
      )}
      {details && (
        <details>
          <summary>Details</summary>
          <pre class="vg-code">
            <Sentence text={details} />
          </pre>
        </details>
      )}
    </div>
  );
}
