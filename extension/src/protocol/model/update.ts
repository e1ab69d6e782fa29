// Made by `make types` from vizgrad/debugger/session/run_control.py: do not edit.
import { array, boolean, integer, nullable, optional, record, string } from '../check';
import type { Reader } from '../check';
import { readStorageChange } from './memory';
import type { StorageChange } from './memory';
import { readName, readStepRecord, readWithin } from './nodes';
import type { Name, StepRecord, Within } from './nodes';
import { readBreakpoint, readModes, readRunStatus, readStopped } from './run';
import type { Breakpoint, Modes, RunStatus, Stopped } from './run';

/**
 * One change of a session. `revision` is one more than that of the update before.
 *
 * The run went from position `before` to `position`. `records` are those of the steps that lie
 * between, in order; with `jumped` there were too many, and `records` is empty. `names` are of the
 * nodes that were run, of those that they gave gradients to, and of the one that comes next.
 * `ending` says why a closed one was closed. `breakpoints` are the nodes before which Continue may
 * stop, `breakpoint_list` what was set (None: as it was). `nonfinite`: Continue stops where a NaN
 * or an infinity is born. `logged`: how many messages breakpoints have written.
 */
export interface Update {
  readonly revision: number;
  readonly status: RunStatus;
  readonly before: number;
  readonly position: number;
  readonly recorded: number;
  readonly total: number;
  readonly earliest: number;
  readonly jumped: boolean;
  readonly records: readonly StepRecord[];
  readonly changes: readonly StorageChange[];
  readonly breakpoints: readonly number[];
  readonly breakpoint_list: readonly Breakpoint[] | null;
  readonly error: string;
  readonly modes: Modes;
  readonly stopped: Stopped | null;
  readonly within: Within | null;
  readonly nonfinite: boolean;
  readonly names: readonly Name[];
  readonly ending: string;
  readonly logged: number;
}

export const readUpdate: Reader<Update> = record<Update>({
  revision: integer,
  status: readRunStatus,
  before: integer,
  position: integer,
  recorded: integer,
  total: integer,
  earliest: integer,
  jumped: optional(boolean, false),
  records: optional(array(readStepRecord), []),
  changes: optional(array(readStorageChange), []),
  breakpoints: optional(array(integer), []),
  breakpoint_list: optional(nullable(array(readBreakpoint)), null),
  error: optional(string, ''),
  modes: optional(readModes, readModes({})),
  stopped: optional(nullable(readStopped), null),
  within: optional(nullable(readWithin), null),
  nonfinite: optional(boolean, true),
  names: optional(array(readName), []),
  ending: optional(string, ''),
  logged: optional(integer, 0)
});
