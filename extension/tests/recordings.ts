/** What real sessions told, written down by `python -m tests.fixtures.recordings`. */
import hostile from '../../tests/fixtures/folds/hostile.json';
import inputs from '../../tests/fixtures/folds/inputs.json';
import late from '../../tests/fixtures/folds/late.json';
import mlp from '../../tests/fixtures/folds/mlp.json';
import moves from '../../tests/fixtures/folds/moves.json';
import nonfinite from '../../tests/fixtures/folds/nonfinite.json';
import shared from '../../tests/fixtures/folds/shared.json';
import stale from '../../tests/fixtures/folds/stale.json';
import undefinedGradients from '../../tests/fixtures/folds/undefined.json';
import undone from '../../tests/fixtures/folds/undone.json';
import writes from '../../tests/fixtures/folds/writes.json';
import { readMessage } from '../src/protocol';
import type { Inspection, Message, Run, Snapshot, State, StepRecord } from '../src/protocol';
import { array, record, string } from '../src/protocol/check';
import { readRun, readStepRecord } from '../src/protocol/readModel';

/** One session, taken to its end. */
export interface Recording {
  readonly snapshot: Snapshot;
  readonly records: readonly StepRecord[];
  /** By the position at which it was told. */
  readonly runs: ReadonlyMap<number, Run>;
  /** What is told about each node before the first step, and after the last. */
  readonly before: readonly Inspection[];
  readonly after: readonly Inspection[];
}

/** What was asked, what was told, and where the session stood then. */
export interface Turn {
  readonly asked: { readonly type: string } | null;
  readonly told: readonly Message[];
  readonly state: State;
}

function message<T extends Message>(type: T['type']): (value: unknown) => T {
  return value => {
    const read = readMessage(value);
    if (read.type !== type) {
      throw new Error(`expected ${type}, got ${read.type}`);
    }
    return read as T;
  };
}

const readRecording = record<Recording>({
  snapshot: message<Snapshot>('snapshot'),
  records: array(readStepRecord),
  runs: value =>
    new Map(
      Object.entries(value as Record<string, unknown>).map(([at, run]) => [
        Number(at),
        readRun(run)
      ])
    ),
  before: array(message<Inspection>('inspection')),
  after: array(message<Inspection>('inspection'))
});

const readTurns = array(
  record<Turn>({
    asked: value => (value === null ? null : record<{ type: string }>({ type: string })(value)),
    told: array(readMessage),
    state: message<State>('state')
  })
);

export const RECORDINGS = {
  mlp: readRecording(mlp),
  stale: readRecording(stale),
  inputs: readRecording(inputs),
  shared: readRecording(shared),
  undefined: readRecording(undefinedGradients),
  nonfinite: readRecording(nonfinite),
  hostile: readRecording(hostile)
};

export const CONVERSATIONS = {
  moves: readTurns((moves as { turns: unknown }).turns),
  writes: readTurns((writes as { turns: unknown }).turns),
  undone: readTurns((undone as { turns: unknown }).turns),
  late: readTurns((late as { turns: unknown }).turns)
};

/** The number of the node that is called so: `TanhBackward0`, or `w2` for a leaf. */
export function named({ snapshot }: Recording, name: string): number {
  const found = snapshot.graph.nodes.find(node => node.label === name || node.name === name);
  if (!found) {
    throw new Error(`no node is called ${name}`);
  }
  return found.id;
}
