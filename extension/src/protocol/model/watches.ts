// Made by `make types` from vizgrad/debugger/model/watches.py: do not edit.
/** The entries of a watch list, and who wrote a value. */
import { integer, nullable, optional, record, string } from '../check';
import type { Reader } from '../check';
import { readPlace } from './place';
import type { Place } from './place';
import { readTensorSummary } from './arrays';
import type { TensorSummary } from './arrays';

/**
 * An expression of a session's watch list, known there by its `id`, with its value where the run
 * stands.
 *
 * The value is a tensor, told by its `summary`; or anything else, in words (`text`). Both are empty
 * where it has none: `error` says why.
 */
export interface Watched {
  readonly id: number;
  readonly expression: string;
  readonly text: string;
  readonly summary: TensorSummary | null;
  readonly error: string;
}

/**
 * Who wrote a value last, in words (`text`). `position` is that after the step which did
 * (`Session.seek` goes there), `node` the node of that step or of the operation that made the
 * value, `place` its line. None: no step of the run, no node, or no line is known.
 */
export interface Writer {
  readonly text: string;
  readonly position: number | null;
  readonly node: number | null;
  readonly place: Place | null;
}

export const readWatched: Reader<Watched> = record<Watched>({
  id: integer,
  expression: string,
  text: optional(string, ''),
  summary: optional(nullable(readTensorSummary), null),
  error: optional(string, '')
});

export const readWriter: Reader<Writer> = record<Writer>({
  text: string,
  position: optional(nullable(integer), null),
  node: optional(nullable(integer), null),
  place: optional(nullable(readPlace), null)
});
