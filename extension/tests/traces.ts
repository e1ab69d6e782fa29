/** Files of traces, and what Python shows of them, written by `python -m tests.fixtures.traces`. */
import arrays from '../../tests/fixtures/traces/arrays.json';
import hostile from '../../tests/fixtures/traces/hostile.json';
import inputs from '../../tests/fixtures/traces/inputs.json';
import lanes from '../../tests/fixtures/traces/lanes.json';
import layers from '../../tests/fixtures/traces/layers.json';
import mlp from '../../tests/fixtures/traces/mlp.json';
import nonfinite from '../../tests/fixtures/traces/nonfinite.json';
import part from '../../tests/fixtures/traces/part.json';
import recording from '../../tests/fixtures/traces/recording.json';
import shared from '../../tests/fixtures/traces/shared.json';
import turns from '../../tests/fixtures/traces/turns.json';
import undefinedGradients from '../../tests/fixtures/traces/undefined.json';
import oldMlp from '../../tests/fixtures/traces/version_1/mlp.json';
import oldRecording from '../../tests/fixtures/traces/version_1/recording.json';

/** By position. */
type At<T> = Readonly<Record<string, T>>;

export interface FiledTrace {
  readonly file: string;
  readonly standings: At<unknown>;
  readonly inspections: At<readonly object[]>;
  readonly memory: At<object>;
  readonly parts: readonly object[];
  /** Of one with lanes: where Python stands after each of some small steps, and the lane where it is another. */
  readonly places?: readonly PlaceWithin[];
}

export interface PlaceWithin {
  readonly move: 'step_in' | 'step_out' | 'stage' | 'stage_back';
  readonly position: number;
  readonly within: object | null;
  readonly lane?: object;
}

/** Of the first version of files. */
export const OLD_TRACES = named({ mlp: oldMlp, recording: oldRecording });

export const TRACES = named({
  arrays,
  hostile,
  inputs,
  lanes,
  layers,
  mlp,
  nonfinite,
  part,
  recording,
  shared,
  turns,
  undefined: undefinedGradients
});

function named(traces: Readonly<Record<string, unknown>>): (FiledTrace & { name: string })[] {
  return Object.entries(traces).map(([name, filed]) => ({ name, ...(filed as FiledTrace) }));
}

export function bytesOf({ file }: FiledTrace): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(file), letter => letter.charCodeAt(0));
}
