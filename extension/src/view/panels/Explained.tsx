/** Why a node is as it is: what happened, the line, the way to the cause, and what to do. */
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

import type { Why, WhyLink } from '../../protocol';
import type { DebuggerState, SessionState } from '../../store';
import * as format from '../format';
import { useStore } from '../hooks';
import { PlaceLink } from '../PlaceLink';
import { Sentence } from '../Sentence';
import { NodeLink } from './NodeLink';

/** Of a longer way its beginning and its end are listed. */
const MOST_LINKS = 24;

interface ExplainedProps {
  readonly why: NonNullable<DebuggerState['why']>;
  readonly session: SessionState;
}

export function Explained({ why, session }: ExplainedProps): JSX.Element {
  const store = useStore();
  const { told, position } = why;
  const host = useRef<HTMLDivElement>(null);
  // Who asks wants to read it, also where the page has to be scrolled for it.
  useEffect(() => host.current?.scrollIntoView({ block: 'nearest' }), [told]);
  const moved = position !== session.run.position;
  return (
    <div ref={host} class="vg-explained" data-kind={told.kind}>
      <p class="vg-explained-head">
        <NodeLink session={session} node={told.node} />
        {told.kind !== 'healthy' && <strong class="vg-explained-kind">{told.heading}</strong>}
      </p>
      <p>
        <Sentence text={told.story} />
      </p>
      {moved && (
        <p class="vg-muted">
          {`Asked when ${format.count(position, 'node was', 'nodes were')} done. `}
          {!session.closed && (
            <button type="button" class="vg-link" onClick={() => store.actions.askWhy(told.node)}>
              Ask again
            </button>
          )}
        </p>
      )}
      <Lines told={told} />
      {told.when !== '' && (
        <p>
          <strong>When: </strong>
          <Sentence text={told.when} />
        </p>
      )}
      {told.chain.length > 1 && <Chain told={told} session={session} />}
      {told.fix !== '' && (
        <p>
          <strong>Fix: </strong>
          <Sentence text={told.fix} />
        </p>
      )}
      {told.mended !== '' && told.culprit && (
        <pre class="vg-explained-code" tabIndex={0} aria-label="The fix as a changed line">
          <del>{`- ${told.culprit.text}`}</del>
          {told.mended.split('\n').map(line => (
            <ins key={line}>{`+ ${line}`}</ins>
          ))}
        </pre>
      )}
      {told.at > 0 && <There told={told} />}
      {told.check !== '' && (
        <p class="vg-muted">
          <Sentence text={told.check} />
        </p>
      )}
    </div>
  );
}

/** The way to the backward in which it happened, as a finding in an output says it. */
function There({ told: { at, cell } }: { told: Why }): JSX.Element {
  return (
    <p>
      {/* Heard by a plugin of JupyterLab; hidden elsewhere. */}
      <button type="button" class="vg-more-button vg-there" data-at={at} data-cell={cell}>
        Debug there
      </button>{' '}
      <code class="vg-mono">{`%%vizgrad debug --at ${at}`}</code> at the top of the cell; run the
      cells that make the model again first
    </p>
  );
}

/** The person's own lines, the one to blame marked. */
function Lines({ told: { culprit, lines } }: { told: Why }): JSX.Element | null {
  if (!culprit) {
    return null;
  }
  return (
    <>
      <p>
        <PlaceLink text={format.place(culprit)} place={culprit} />
      </p>
      {lines.length > 0 && (
        <pre
          class="vg-explained-code"
          tabIndex={0}
          aria-label="The line at fault and its neighbours"
        >
          {lines.map(({ number, text }) => (
            <span key={number} data-blamed={number === culprit.line}>
              {`${number === culprit.line ? '▶' : ' '} ${String(number).padStart(3)}  ${text}`}
            </span>
          ))}
        </pre>
      )}
    </>
  );
}

function Chain({ told: { chain }, session }: { told: Why; session: SessionState }): JSX.Element {
  const half = MOST_LINKS / 2;
  const long = chain.length > MOST_LINKS;
  const rows = chain.map((link, i) => (
    <li key={i}>
      <Link link={link} session={session} />
      {i === 0 && <span class="vg-explained-sign">symptom</span>}
      {i === chain.length - 1 && <span class="vg-explained-sign">cause</span>}
    </li>
  ));
  return (
    <ol class="vg-explained-chain" aria-label="From the symptom to its cause">
      {long ? rows.slice(0, half) : rows}
      {long && <li class="vg-muted">{`${format.whole(chain.length - MOST_LINKS)} more`}</li>}
      {long && rows.slice(-half)}
    </ol>
  );
}

function Link({ link, session }: { link: WhyLink; session: SessionState }): JSX.Element {
  const { node, text, place } = link;
  return (
    <>
      {node === null ? (
        <span class="vg-mono">{text}</span>
      ) : (
        <NodeLink session={session} node={node} />
      )}
      {place && (
        <span class="vg-muted">
          <PlaceLink text={format.place(place)} place={place} />
        </span>
      )}
    </>
  );
}
