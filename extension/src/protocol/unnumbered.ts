import type { Request } from './messages';

/** A request that has no number yet. */
export type Unnumbered = Request extends infer R
  ? R extends Request
    ? Omit<R, 'request'>
    : never
  : never;
