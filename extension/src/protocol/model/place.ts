// Made by `make types` from vizgrad/core/errors.py: do not edit.
import { integer, nullable, optional, record, string } from '../check';
import type { Reader } from '../check';

/**
 * A line of the user's code. `cell` is e.g. `In [3]` when the file is a notebook cell, whose lines
 * are counted as its editor does.
 */
export interface Place {
  readonly file: string;
  readonly line: number;
  readonly function: string;
  readonly cell: string | null;
  readonly text: string;
}

export const readPlace: Reader<Place> = record<Place>({
  file: string,
  line: integer,
  function: optional(string, ''),
  cell: optional(nullable(string), null),
  text: optional(string, '')
});
