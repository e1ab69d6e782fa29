/** Where two branches are compared: how they differ at the selected node, in numbers. */
import type { JSX } from 'preact';

import type { Compared, SessionState } from '../../store';
import * as format from '../format';
import { differsIn, differsName, percent } from '../graph/differing';

interface BesideProps {
  readonly session: SessionState;
  readonly node: number;
  readonly compared: Compared | null;
}

export function Beside({ session, node, compared }: BesideProps): JSX.Element | null {
  if (compared === null) {
    return null;
  }
  const difference = compared.nodes.get(node);
  const found = difference && differsIn(difference, compared);
  return (
    <section class="vg-part vg-beside" data-differs={differsName(found ?? null)}>
      <h4>{`${compared.there} compared with ${compared.here}`}</h4>
      {difference && found ? (
        <dl class="vg-facts">
          <Fact name={`on ${compared.here}`} text={norm(difference.here)} />
          <Fact name={`on ${compared.there}`} text={norm(difference.there)} />
          <Fact name="differ by" text={apart(difference.relative, found.words)} />
        </dl>
      ) : (
        <p class="vg-muted">{without(session, node, compared)}</p>
      )}
    </section>
  );
}

/** Why there is nothing to compare. */
function without({ run, fold }: SessionState, node: number, compared: Compared): string {
  const there = run.branches.find(({ name }) => name === compared.there);
  if (there?.trace) {
    return 'No gradient has arrived here to compare.';
  }
  const left = there?.left ?? 0;
  const order = fold.knows(node) ? fold.node(node).order : null;
  if (order !== null && order < left) {
    return 'This node ran before they split: same on both.';
  }
  return compared.nodes.size < compared.total
    ? 'This node is not among those that differ most.'
    : 'No gradient has arrived here since they split.';
}

function Fact({ name, text }: { name: string; text: string }): JSX.Element {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{text}</dd>
    </div>
  );
}

function norm(value: number | null): string {
  return value === null ? 'no gradient' : `‖g‖ ${format.number(value)}`;
}

/** In parts of the first norm, where that is a number. */
function apart(relative: number | null, words: string): string {
  if (relative === null || !Number.isFinite(relative)) {
    return words;
  }
  return relative === 0 ? 'nothing' : percent(relative);
}
