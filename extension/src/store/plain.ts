/** Saved values that are no tensors: `dim`, `reduction`, the shape of an input. */
import type { Saved } from '../protocol';

/** A plain value is part of the formula, not memory: it has no version, and is never stale. */
export function isPlain(saved: Saved): boolean {
  return saved.value !== '' && saved.state === 'alive' && saved.storage === null;
}

export function isTensor(saved: Saved): boolean {
  return !isPlain(saved);
}

const META = '_meta';

/** PyTorch's own names of numbers that it keeps of an input. */
const KEPT = /^(.+)_sym_(sizes|strides|numel)$/;
const WORDS: Readonly<Record<string, string>> = {
  sizes: 'size',
  strides: 'stride',
  numel: 'number of elements'
};

/** "size of self" for `self_sym_sizes`; other names as they are. */
export function plainName(name: string): string {
  const [, input = '', what = ''] = KEPT.exec(name) ?? [];
  return input === '' ? name : `${WORDS[what]} of ${input}`;
}

/** "dim = 0"; what a formula calls `self_meta` is what is known of an input without its values. */
export function plainText({ name, value }: Saved): string {
  return name.endsWith(META)
    ? `${name.slice(0, -META.length)} is ${value}: only its shape and type are kept`
    : `${plainName(name)} = ${value}`;
}
