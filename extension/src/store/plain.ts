/** Saved values that are no tensors: `dim`, `reduction`, the shape of an input. */
import type { Saved } from '../protocol';

/** A plain value is part of the formula, not memory: it has no version, and is never stale. */
export function isPlain(saved: Saved): boolean {
  return saved.value !== '' && saved.state === 'alive' && saved.storage === null;
}

export function isTensor(saved: Saved): boolean {
  return !isPlain(saved);
}
