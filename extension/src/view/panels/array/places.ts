/** Which elements of an array a block of its picture stands for. */
import type { Blocks } from '../../../protocol';

type Range = readonly [number, number];

export interface Cell {
  readonly row: number;
  readonly column: number;
}

/** The array, and which indices of its leading dimensions are shown. */
export interface Shown {
  readonly shape: readonly number[];
  readonly at: readonly (number | null)[];
}

/** The rows and columns of the matrix that a block has. */
export function rangesOf(
  { rows, columns, size }: Blocks,
  { row, column }: Cell
): { rows: Range; columns: Range } {
  const along = ([first, last]: Range, length: number, at: number): Range => [
    first + at * length,
    Math.min(first + (at + 1) * length, last)
  ];
  return { rows: along(rows, size[0], row), columns: along(columns, size[1], column) };
}

/** How many elements a block has. */
export function countIn(blocks: Blocks, cell: Cell): number {
  const { rows, columns } = rangesOf(blocks, cell);
  return (rows[1] - rows[0]) * (columns[1] - columns[0]);
}

/** "[3, 0:8, 12]": as numpy would be asked for the elements of a block. */
export function indexText(shown: Shown, blocks: Blocks, cell: Cell): string {
  const { rows, columns } = rangesOf(blocks, cell);
  const { shape, at } = shown;
  if (shape.length === 0) {
    return '[]';
  }
  const across = rangeText(columns);
  if (shape.length === 1) {
    return `[${across}]`;
  }
  const indices: string[] = at.map(index => `${index ?? ':'}`);
  const inner = shape[shape.length - 2] ?? 1;
  const matrix = Math.floor(rows[0] / inner);
  if (matrix !== Math.floor((rows[1] - 1) / inner)) {
    return `rows ${rangeText(rows)} of ${axes(shown).rows}, column ${across}`;
  }
  let rest = matrix;
  for (const dim of foldedDims(shown).slice(0, -1).toReversed()) {
    const length = shape[dim] ?? 1;
    indices[dim] = `${rest % length}`;
    rest = Math.floor(rest / length);
  }
  const within: Range = [rows[0] - matrix * inner, rows[1] - matrix * inner];
  return `[${[...indices, rangeText(within), across].join(', ')}]`;
}

/** The dimensions that the rows of the matrix run over. */
export function foldedDims({ shape, at }: Shown): readonly number[] {
  const leading = shape.slice(0, -1).map((_, dim) => dim);
  return leading.filter(dim => (at[dim] ?? null) === null);
}

/** "3", or "3:7". */
export function rangeText([first, last]: Range): string {
  return last - first === 1 ? `${first}` : `${first}:${last}`;
}

/** What the rows are, and what the columns. */
export function axes(shown: Shown): { readonly rows: string; readonly columns: string } {
  const last = shown.shape.length - 1;
  const folded = foldedDims(shown);
  const rows =
    folded.length > 1 ? `dims ${folded.join(', ')}` : folded.length === 1 ? `dim ${folded[0]}` : '';
  return { rows, columns: last >= 0 ? `dim ${last}` : '' };
}
