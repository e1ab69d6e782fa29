/** The nodes of the line with the cursor, and which of them is looked at. */
import type { LineNode, LineNodes } from '../../protocol';
import { whole } from '../../view/format';
import type { LineText } from './program';

export interface Choice {
  readonly session: string;
  /** The number that the kernel knows the line by. */
  readonly number: number;
  readonly line: number;
  readonly turns: number;
  readonly nodes: readonly LineNode[];
  /** How many more there are, that were too many to be told. */
  readonly more: number;
  /** The node that is looked at; null: another, which is none of these. */
  readonly node: number | null;
}

/** `wanted`: nodes that are looked at rather than others, if they are of the line. */
export function choiceOf(
  { session, line: number, nodes, total }: LineNodes,
  { line, turns }: LineText,
  wanted: readonly (number | null | undefined)[]
): Choice {
  const known = wanted.find(one => nodes.some(({ node }) => node === one));
  const node = known ?? nodes[0]?.node ?? null;
  return { session, number, line, turns, nodes, more: total - nodes.length, node };
}

/** "3 of 3: TanhBackward0", "MulBackward0 1 of 2" where two are called alike. */
export function called({ node, turn, name }: LineNode, { turns, nodes }: Choice): string {
  const which = turns > 1 ? `${turn + 1} of ${turns}: ` : '';
  const alike = nodes.filter(each => each.turn === turn && each.name === name);
  const place = alike.findIndex(each => each.node === node) + 1;
  return `${which}${name}${alike.length > 1 ? ` ${place} of ${alike.length}` : ''}`;
}

/** What stands before the list. */
export function inWords({ line, nodes, more, turns }: Choice): string {
  const times = turns > 1 ? ` in ${whole(turns)} turns` : '';
  return `Line ${line} recorded ${whole(nodes.length + more)} nodes${times}:`;
}

export function isEqual(one: Choice | null, other: Choice | null): boolean {
  return (
    one === other ||
    (one !== null &&
      other !== null &&
      one.session === other.session &&
      one.number === other.number &&
      one.node === other.node &&
      one.nodes === other.nodes)
  );
}
