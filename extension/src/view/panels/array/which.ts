/** The array of the selected node that is looked at. */
import type { Looking } from '../../../store';

export type Which = Pick<Looking, 'kind' | 'nr' | 'name'>;

/** The same object for the same array: who gets it is not drawn again. */
export function which(kind: Looking['kind'], nr = 0, name = ''): Which {
  const key = `${kind} ${nr} ${name}`;
  const known = KNOWN.get(key) ?? { kind, nr, name };
  KNOWN.set(key, known);
  return known;
}

const KNOWN = new Map<string, Which>();
