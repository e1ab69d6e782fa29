// Made by `make types` from vizgrad/errors.py: do not edit.
import { nullable, optional, record, string } from '../check';
import type { Reader } from '../check';
import { readPlace } from './place';
import type { Place } from './place';

/**
 * Why something went wrong. False in a boolean context when there is nothing to explain.
 *
 * `kind` is one of the words of the explanation table (README of `vizgrad/inspection`), `culprit`
 * the line to edit (None where it is not known: never a guess), `tensor` the variable as the person
 * wrote it, or the node's name, `fix` one sentence.
 */
export interface Explanation {
  readonly kind: string;
  readonly culprit: Place | null;
  readonly tensor: string;
  readonly fix: string;
  readonly story: string;
}

export const readExplanation: Reader<Explanation> = record<Explanation>({
  kind: string,
  culprit: optional(nullable(readPlace), null),
  tensor: optional(string, ''),
  fix: optional(string, ''),
  story: optional(string, '')
});
