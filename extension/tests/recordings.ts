/** What real sessions told, written down by `python -m tests.fixtures.recordings`. */
import folds from '../../tests/fixtures/folds/folds.json';
import hostile from '../../tests/fixtures/folds/hostile.json';
import inputs from '../../tests/fixtures/folds/inputs.json';
import late from '../../tests/fixtures/folds/late.json';
import layers from '../../tests/fixtures/folds/layers.json';
import loop from '../../tests/fixtures/folds/loop.json';
import mlp from '../../tests/fixtures/folds/mlp.json';
import moves from '../../tests/fixtures/folds/moves.json';
import nonfinite from '../../tests/fixtures/folds/nonfinite.json';
import shared from '../../tests/fixtures/folds/shared.json';
import stale from '../../tests/fixtures/folds/stale.json';
import states from '../../tests/fixtures/folds/states.json';
import undefinedGradients from '../../tests/fixtures/folds/undefined.json';
import undone from '../../tests/fixtures/folds/undone.json';
import writes from '../../tests/fixtures/folds/writes.json';
import { readFolding, readMessage, readStanding } from '../src/protocol';
import type {
  Drawing,
  Folding,
  Inspection,
  Memory,
  Message,
  Name,
  Shown,
  Standing,
  Storages,
  Update
} from '../src/protocol';
import { array, nullable, record } from '../src/protocol/check';
import type { Reader } from '../src/protocol/check';
import { readUpdate } from '../src/protocol/model';

/** One session, taken to its end step by step. */
export interface Recording {
  readonly updates: readonly Update[];
  /** What views of several foldings were shown: the first of them opened and closed nothing. */
  readonly views: readonly RecordedView[];
  /** By the position at which it was told. */
  readonly memory: ReadonlyMap<number, Memory>;
  /** All of them, before the first step. */
  readonly storages: Storages;
  /** What is told about each node before the first step, and after the last. */
  readonly before: readonly Inspection[];
  readonly after: readonly Inspection[];
}

export interface RecordedView {
  readonly folding: Folding;
  readonly shown: Shown;
  readonly drawing: Drawing;
  /** By the position at which it was told. */
  readonly standings: ReadonlyMap<number, Standing>;
}

/** What was asked, what was told, and what the view would have been shown then. */
export interface Turn {
  readonly asked: { readonly folding: Folding } | null;
  readonly told: readonly Message[];
  readonly shown: Shown;
}

function message<T extends Message>(type: T['type']): Reader<T> {
  return value => {
    const read = readMessage(value);
    if (read.type !== type) {
      throw new Error(`expected ${type}, got ${read.type}`);
    }
    return read as T;
  };
}

/** By position. */
function byPosition<T>(reader: Reader<T>): Reader<ReadonlyMap<number, T>> {
  return value =>
    new Map(
      Object.entries(value as Record<string, unknown>).map(([at, each]) => [
        Number(at),
        reader(each)
      ])
    );
}

/** The only one of a list. */
function only<T>(reader: Reader<T>): Reader<T> {
  return value => {
    const [first] = array(reader)(value);
    if (first === undefined) {
      throw new Error('nothing is recorded');
    }
    return first;
  };
}

function readView(value: unknown): RecordedView {
  const view = record<Omit<RecordedView, 'drawing'>>({
    folding: readFolding,
    shown: message<Shown>('shown'),
    standings: byPosition(readStanding)
  })(value);
  const { drawing } = view.shown;
  if (!drawing) {
    throw new Error('a view begins with a drawing');
  }
  return { ...view, drawing };
}

const readRecording = record<Recording>({
  updates: array(readUpdate),
  views: array(readView),
  memory: only(byPosition(message<Memory>('memory'))),
  storages: only(message<Storages>('storages')),
  before: array(message<Inspection>('inspection')),
  after: array(message<Inspection>('inspection'))
});

const readTurns = array(
  record<Turn>({
    asked: nullable(record({ folding: value => readFolding(value ?? {}) })),
    told: array(readMessage),
    shown: message<Shown>('shown')
  })
);

export const RECORDINGS = {
  mlp: readRecording(mlp),
  stale: readRecording(stale),
  inputs: readRecording(inputs),
  shared: readRecording(shared),
  undefined: readRecording(undefinedGradients),
  nonfinite: readRecording(nonfinite),
  hostile: readRecording(hostile),
  layers: readRecording(layers),
  loop: readRecording(loop),
  states: readRecording(states)
};

export const CONVERSATIONS = {
  moves: readTurns((moves as { turns: unknown }).turns),
  writes: readTurns((writes as { turns: unknown }).turns),
  undone: readTurns((undone as { turns: unknown }).turns),
  late: readTurns((late as { turns: unknown }).turns),
  folds: readTurns((folds as { turns: unknown }).turns)
};

/** The view of a recording that nobody folded by hand. */
export function plainView({ views }: Recording): RecordedView {
  return views[0] as RecordedView;
}

/** The names of all nodes that were mentioned, by number. */
export function namesOf({ views, updates }: Recording): ReadonlyMap<number, Name> {
  const names = new Map<number, Name>();
  const learn = (name: Name): unknown => names.set(name.node, name);
  for (const { drawing, standings } of views) {
    drawing.nodes.forEach(({ id, name, label }) => learn({ node: id, name, label, needed: 0 }));
    standings.forEach(standing => standing.names.forEach(learn));
  }
  updates.forEach(update => update.names.forEach(learn));
  return names;
}

/** The number of the node that is called so: `TanhBackward0`, or `w2` for a leaf. */
export function named(recording: Recording, name: string): number {
  for (const [node, known] of [...namesOf(recording)].sort(([a], [b]) => a - b)) {
    if (known.label === name || known.name === name) {
      return node;
    }
  }
  throw new Error(`no node is called ${name}`);
}
