// Made by `make types` from vizgrad/debugger/jupyter/widget/protocol/saving.py: do not edit.
/** Saving the trace of a session as a file. */
import { integer, record, string, word } from './check';
import type { Reader } from './check';

/**
 * Write the steps so far to a file, in the folder that cells work in, under a name that is free
 * there.
 */
export interface SaveTrace {
  readonly type: 'save_trace';
  readonly request: number;
  readonly session: string;
}

/**
 * The trace is in a file called `file`, of a `size` in words, in this `folder` beside the kernel.
 */
export interface TraceSaved {
  readonly type: 'trace_saved';
  readonly request: number;
  readonly session: string;
  readonly file: string;
  readonly folder: string;
  readonly size: string;
}

export const readSaveTrace: Reader<SaveTrace> = record<SaveTrace>({
  type: word('save_trace'),
  request: integer,
  session: string
});

export const readTraceSaved: Reader<TraceSaved> = record<TraceSaved>({
  type: word('trace_saved'),
  request: integer,
  session: string,
  file: string,
  folder: string,
  size: string
});
