/** The branches of a run, which What if begins (`WhatIf.tsx`), and how two of them differ. */
import type { JSX } from 'preact';

import type { Branch, Edit } from '../../protocol';
import { besides, comparedOf, editsOf, hasRun, pairOf } from '../../store';
import type { SessionState, ViewState } from '../../store';
import * as format from '../format';
import { differsIn, mostOf, summary } from '../graph/differing';
import { useCommands, useStore } from '../hooks';
import { NodeLink } from './NodeLink';

export function branchesNote({ run }: SessionState): string {
  const traces = run.branches.filter(({ trace }) => trace).length;
  const others = run.branches.length - 1 - traces;
  const changes = run.branches.length === 1 ? editsOf(run).length : 0;
  return [
    changes > 0 ? format.count(changes, 'change') : '',
    others > 0 ? format.count(others, 'branch', 'branches') : '',
    traces > 0 ? format.count(traces, 'other run') : ''
  ]
    .filter(Boolean)
    .join(', ');
}

interface BranchesProps {
  readonly session: SessionState;
  readonly view: ViewState;
}

export function Branches({ session, view }: BranchesProps): JSX.Element {
  const { run, closed } = session;
  const pair = pairOf(session, view);
  // A trace has no run that could be changed.
  const live = useCommands().has('stop') && !closed;
  const edits = editsOf(run);
  if (run.branches.length < 2 && edits.length > 0) {
    return <Changes edits={edits} live={live && run.one_way} />;
  }
  if (run.branches.length < 2) {
    return (
      <p class="vg-empty">
        {!live || !run.can_change
          ? 'A closed or recorded run cannot be changed.'
          : run.one_way
            ? 'PyTorch runs a node only once, so there is one branch. Change the gradient of the next node in the Inspector (What if): the run continues with the change.'
            : 'One branch. Change a gradient in the Inspector (What if) to continue on a new one.'}
      </p>
    );
  }
  return (
    <div class="vg-branches">
      <ul class="vg-branch-list" aria-label="Branches of the run">
        {run.branches.map(branch => (
          <Line
            key={branch.name}
            branch={branch.current ? { ...branch, recorded: run.recorded } : branch}
            open={!closed}
            live={live}
            compared={branch.name === pair?.there}
            ran={hasRun(session, branch)}
          />
        ))}
      </ul>
      <Comparison session={session} view={view} />
    </div>
  );
}

interface ChangesProps {
  readonly edits: readonly Edit[];
  /** It can continue, if with the change only. */
  readonly live: boolean;
}

/** Of a run that continues on no branch: PyTorch's, which runs a node only once, or a recorded one. */
function Changes({ edits, live }: ChangesProps): JSX.Element {
  return (
    <div class="vg-branches">
      <ul class="vg-branch-list" aria-label="Changes">
        {edits.map(({ text, position }, i) => (
          <li key={i} class="vg-branch-how">
            {text} <span class="vg-muted">{`after ${format.count(position, 'node')}`}</span>
          </li>
        ))}
      </ul>
      {live && (
        <p class="vg-muted">
          The run continues with the change: PyTorch runs a node only once, so there is no branch
          without it. Run the cell again to go back to the original.
        </p>
      )}
    </div>
  );
}

interface LineProps {
  readonly branch: Branch;
  readonly open: boolean;
  /** It can be gone on with, or thrown away. */
  readonly live: boolean;
  /** It is compared with another one. */
  readonly compared: boolean;
  /** It has run a node of its own, which can be compared. */
  readonly ran: boolean;
}

function Line({ branch, open, live, compared, ran }: LineProps): JSX.Element {
  const store = useStore();
  const { name, current, parent, left, recorded, edits, trace } = branch;
  const own = edits.at(-1)?.text ?? '';
  const did = `${format.count(recorded, 'node')} done`;
  const how = parent === '' ? did : `left ${parent} after ${format.count(left, 'node')}, ${did}`;
  const other = trace || parent !== '';
  const where = current ? 'current branch' : live ? 'switch to this branch' : '';
  const hint = trace ? 'another run' : where;
  return (
    <li class="vg-branch">
      <div class="vg-branch-line">
        <button
          type="button"
          class="vg-link"
          aria-pressed={current}
          disabled={!live || trace}
          title={hint === '' ? name : `${name}: ${hint}`}
          onClick={() => store.actions.switchBranch(name)}
        >
          {name}
        </button>
        {current && <span class="vg-branch-here">current</span>}
        {parent === '' && <span class="vg-muted">{how}</span>}
        {other && (
          <button
            type="button"
            class="vg-branch-compare"
            aria-label={`Compare ${name} with ${parent || 'this run'}`}
            aria-pressed={compared}
            title={
              compared
                ? 'Stop comparing'
                : !ran
                  ? `${name} has run no node since it left ${parent}. Continue first`
                  : `Node by node with ${parent || 'this run'}, in the graph`
            }
            disabled={!open || (!ran && !compared)}
            onClick={() => store.view({ comparing: compared ? null : { there: name, here: null } })}
          >
            compare
          </button>
        )}
        {other && live && (
          <button
            type="button"
            class="vg-stop-remove"
            aria-label={`Delete ${name}`}
            title="Delete"
            disabled={!open}
            onClick={() => store.actions.dropBranch(name)}
          >
            ×
          </button>
        )}
      </div>
      {parent !== '' && (
        <span class="vg-branch-how" title={[own, how].filter(Boolean).join(', ')}>
          {own} <span class="vg-muted">{how}</span>
        </span>
      )}
    </li>
  );
}

/** How many nodes differ, which is the first and which does most; and with what else it can be compared. */
function Comparison({ session, view }: BranchesProps): JSX.Element | null {
  const store = useStore();
  const compared = comparedOf(session, view);
  if (compared === null) {
    return null;
  }
  const most = mostOf(compared);
  const { here, there, first, text, unfinished } = compared;
  const others = besides(session, there);
  return (
    <p class="vg-branch-differs">
      {`${there} compared with `}
      {others.length > 1 ? (
        <select
          aria-label={`Compare ${there} with`}
          value={here}
          onChange={event => store.view({ comparing: { there, here: event.currentTarget.value } })}
        >
          {others.map(name => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
      ) : (
        here
      )}
      {`: ${summary(compared)}`}
      {first !== null && (
        <>
          {'. First: '}
          <NodeLink session={session} node={first} />
        </>
      )}
      {most && (
        <>
          {'. Most: '}
          <NodeLink session={session} node={most.node} />{' '}
          {differsIn(most, compared)?.brief[0] ?? ''}
        </>
      )}
      {text !== '' && `. ${text}`}
      {unfinished !== '' && (
        <>
          {' '}
          <button
            type="button"
            class="vg-more-button"
            title={`Run ${unfinished} to its end, come back here, and compare all nodes`}
            disabled={session.closed}
            onClick={() => store.actions.finishBranch(unfinished)}
          >
            Run it to the end and compare
          </button>
        </>
      )}
    </p>
  );
}
