/** What if: a gradient is changed at a pause, and the run goes on on a branch; the original stays as it is. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';

import type { Branch } from '../../protocol';
import { comparedOf, nodeTitle, pairOf } from '../../store';
import type { SessionState, ViewState } from '../../store';
import * as format from '../format';
import { differsIn, mostOf, summary } from '../graph/differing';
import { useCommands, useStore } from '../hooks';
import { NodeLink } from './NodeLink';

export function branchesNote({ run }: SessionState): string {
  const others = run.branches.length - 1;
  return others > 0 ? format.count(others, 'branch', 'branches') : '';
}

interface BranchesProps {
  readonly session: SessionState;
  readonly view: ViewState;
}

export function Branches({ session, view }: BranchesProps): JSX.Element {
  const { run, closed } = session;
  const pair = pairOf(session, view);
  const commands = useCommands();
  if (!commands.has('compare-branch')) {
    return <p class="vg-empty">What was recorded stays as it is.</p>;
  }
  return (
    <div class="vg-branches">
      {run.branches.length > 1 && (
        <ul class="vg-branch-list" aria-label="Branches of the run">
          {run.branches.map(branch => (
            <Line
              key={branch.name}
              branch={branch.current ? { ...branch, recorded: run.recorded } : branch}
              open={!closed}
              compared={branch.name === pair?.there}
            />
          ))}
        </ul>
      )}
      <Comparison session={session} view={view} />
      {!closed && run.current !== null && <Change session={session} node={run.current} />}
    </div>
  );
}

interface LineProps {
  readonly branch: Branch;
  readonly open: boolean;
  /** It is compared with the one that it left. */
  readonly compared: boolean;
}

function Line({ branch, open, compared }: LineProps): JSX.Element {
  const store = useStore();
  const { name, current, parent, left, recorded, edits } = branch;
  const own = edits.at(-1)?.text ?? '';
  const how = parent === '' ? `${recorded} done` : `left ${parent} after ${left}, ${recorded} done`;
  return (
    <li class="vg-branch">
      <button
        type="button"
        class="vg-link"
        aria-pressed={current}
        disabled={!open}
        title={current ? 'The run is on it' : 'Go to where it was left'}
        onClick={() => store.switchBranch(name)}
      >
        {name}
      </button>
      {current && <span class="vg-branch-here">here</span>}
      {parent === '' && <span class="vg-muted">{how}</span>}
      {parent !== '' && (
        <button
          type="button"
          class="vg-branch-compare"
          aria-label={`Compare ${name} with ${parent}`}
          aria-pressed={compared}
          title={compared ? 'Compare no more' : `Node by node with ${parent}, in the graph`}
          disabled={!open}
          onClick={() => store.view({ comparing: compared ? null : name })}
        >
          compare
        </button>
      )}
      {parent !== '' && (
        <button
          type="button"
          class="vg-stop-remove"
          aria-label={`Throw away ${name}`}
          title="Throw it away"
          disabled={!open}
          onClick={() => store.dropBranch(name)}
        >
          ×
        </button>
      )}
      {parent !== '' && (
        <span class="vg-branch-how" title={[own, how].filter(Boolean).join(', ')}>
          {own} <span class="vg-muted">{how}</span>
        </span>
      )}
    </li>
  );
}

/** How many nodes differ, and which does most. */
function Comparison({ session, view }: BranchesProps): JSX.Element | null {
  const compared = comparedOf(session, view);
  if (compared === null) {
    return null;
  }
  const most = mostOf(compared);
  return (
    <p class="vg-branch-differs">
      {`${compared.there} beside ${compared.here}: ${summary(compared)}`}
      {most && (
        <>
          {', most '}
          <NodeLink session={session} node={most.node} />{' '}
          {differsIn(most, compared)?.brief[0] ?? ''}
        </>
      )}
    </p>
  );
}

/** Of the node that comes next: what has arrived is still to be used. */
function Change({ session, node }: { session: SessionState; node: number }): JSX.Element {
  const store = useStore();
  const [value, setValue] = useState('');
  const title = nodeTitle(session, node);
  const change = (event: Event): void => {
    event.preventDefault();
    if (value.trim() !== '') {
      store.changeGradient(node, value.trim());
      setValue('');
    }
  };
  return (
    <form class="vg-stop-add" aria-label="What if" onSubmit={change}>
      <label
        class="vg-branch-what"
        title={`What if the gradient that has arrived at ${title} were…`}
      >
        <span class="vg-branch-ask">If g were</span>
        <input
          type="text"
          aria-label={`New gradient of ${title}`}
          placeholder="g * 0.5, zero, nan to 0, clip to 1"
          spellcheck={false}
          value={value}
          onInput={event => setValue(event.currentTarget.value)}
        />
      </label>
      <button type="submit" disabled={value.trim() === ''}>
        Change
      </button>
    </form>
  );
}
