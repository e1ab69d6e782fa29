// Made by `make types` from vizgrad/debugger/model/collectives.py: do not edit.
/**
 * The collectives that a backward calls: what each carried, between which ranks, how long it took.
 */
import { array, float, integer, nullable, optional, record, string } from '../check';
import type { Reader } from '../check';

/**
 * One call of a collective, as one rank saw it while a step ran.
 *
 * `group` names the process group, and `number` is that of the call in it: all its ranks have the
 * same two. `ranks` are those of the group, as the run numbers them. `bytes` are those of the
 * tensors that this rank gave or received, whichever are more. `nodes` are the leaves whose
 * gradients it carries, as far as that is known; empty for one that the node of the step calls
 * itself.
 *
 * `began`: when this rank called it, in seconds since 1970 by the clock of its machine. `seconds`:
 * from the call to its end; None: it has not ended. `waited`: so many of them passed before the
 * others were there, of which those in `late` came last; None: the backend does not tell. `error`
 * is what it raised.
 */
export interface Collective {
  readonly group: string;
  readonly number: number;
  readonly kind: string;
  readonly ranks: readonly number[];
  readonly bytes: number;
  readonly nodes: readonly number[];
  readonly began: number;
  readonly seconds: number | null;
  readonly waited: number | null;
  readonly late: readonly number[];
  readonly error: string;
}

/**
 * A collective in a run: step `step` called it, by node `node`, and it had ended when step `end`
 * was over (None: it has not, as far as was recorded). `call` says all that is known by then.
 */
export interface CalledCollective {
  readonly call: Collective;
  readonly node: number;
  readonly step: number;
  readonly end: number | null;
}

export const readCollective: Reader<Collective> = record<Collective>({
  group: string,
  number: integer,
  kind: string,
  ranks: array(integer),
  bytes: integer,
  nodes: optional(array(integer), []),
  began: optional(float, 0),
  seconds: optional(nullable(float), null),
  waited: optional(nullable(float), null),
  late: optional(array(integer), []),
  error: optional(string, '')
});

export const readCalledCollective: Reader<CalledCollective> = record<CalledCollective>({
  call: readCollective,
  node: integer,
  step: integer,
  end: optional(nullable(integer), null)
});
