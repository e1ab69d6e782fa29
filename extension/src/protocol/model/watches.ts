// Made by `make types` from vizgrad/debugger/model/watches.py: do not edit.
import { integer, nullable, optional, record, string } from '../check';
import type { Reader } from '../check';
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

export const readWatched: Reader<Watched> = record<Watched>({
  id: integer,
  expression: string,
  text: optional(string, ''),
  summary: optional(nullable(readTensorSummary), null),
  error: optional(string, '')
});
