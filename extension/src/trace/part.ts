/** A part of an array, as `vizgrad/debugger/session/session_reader.py` cuts and tells it. */
import type { Blocks, GetPart, Part } from '../protocol';
import type { Npy } from './npy';

/** Blocks along a side. */
const SIDE = 32;
/** Elements that are written as text. */
const MOST_WRITTEN = 1000;

type Range = readonly [number, number];
type Element = readonly [number, number];

/** The array at chosen indices of its leading dimensions, as a matrix. */
interface Matrix {
  readonly rows: number;
  readonly columns: number;
  at(row: number, column: number): Element;
}

export function partOf(array: Npy, asked: Pick<GetPart, 'at' | 'rows' | 'columns'>): Part {
  const leading = array.shape.slice(0, -2);
  const at = leading.map((length, axis) => {
    const index = asked.at[axis] ?? null;
    return index !== null && index >= 0 && index < length ? index : null;
  });
  const matrix = matrixOf(array, at);
  const rows = within(asked.rows, matrix.rows);
  const columns = within(asked.columns, matrix.columns);
  const { text, cut } = written(array, matrix, rows, columns);
  const blocks = blocksOf(matrix, rows, columns, array.complex);
  return { shape: array.shape, dtype: array.dtype, at, blocks, text, cut };
}

function matrixOf(array: Npy, at: readonly (number | null)[]): Matrix {
  const { shape } = array;
  const free = shape.map((_, axis) => axis).filter(axis => (at[axis] ?? null) === null);
  const column = shape.length - 1;
  const above = free.filter(axis => axis !== column);
  const rows = above.reduce((product, axis) => product * (shape[axis] ?? 1), 1);
  const index = shape.map((_, axis) => at[axis] ?? 0);
  return {
    rows,
    columns: shape.length ? (shape[column] ?? 1) : 1,
    at: (row, place) => {
      let left = row;
      for (const axis of above.toReversed()) {
        const length = shape[axis] ?? 1;
        index[axis] = left % length;
        left = Math.floor(left / length);
      }
      if (column >= 0) {
        index[column] = place;
      }
      return array.at(index);
    }
  };
}

function within(part: Range | null, length: number): Range {
  if (part === null) {
    return [0, length];
  }
  const first = Math.min(Math.max(part[0], 0), length);
  return [first, Math.min(Math.max(part[1], first), length)];
}

function blocksOf(matrix: Matrix, rows: Range, columns: Range, complex: boolean): Blocks | null {
  if (rows[0] === rows[1] || columns[0] === columns[1]) {
    return null;
  }
  const size = [sizeOf(rows), sizeOf(columns)] as const;
  const values: number[][] = [];
  const phases: number[][] = [];
  for (let top = rows[0]; top < rows[1]; top += size[0]) {
    const line: Element[] = [];
    for (let left = columns[0]; left < columns[1]; left += size[1]) {
      const block = [
        [top, Math.min(top + size[0], rows[1])],
        [left, Math.min(left + size[1], columns[1])]
      ] as const;
      line.push(strongest(matrix, ...block));
    }
    values.push(line.map(([re, im]) => sixDigits(complex ? Math.hypot(re, im) : re)));
    if (complex) {
      phases.push(line.map(([re, im]) => sixDigits(Math.atan2(im, re))));
    }
  }
  return { rows, columns, size, values, phases };
}

function sizeOf([first, last]: Range): number {
  return Math.ceil((last - first) / SIDE);
}

/** The element of the largest magnitude; one that is NaN before all others. */
function strongest(matrix: Matrix, rows: Range, columns: Range): Element {
  let best: Element = [0, 0];
  let most = -1;
  for (let row = rows[0]; row < rows[1]; row++) {
    for (let column = columns[0]; column < columns[1]; column++) {
      const element = matrix.at(row, column);
      const size = Math.hypot(...element);
      if (Number.isNaN(element[0]) || Number.isNaN(element[1])) {
        return [NaN, 0];
      }
      // Of two that are as large the positive one is told.
      if (size > most || (size === most && element[0] > best[0])) {
        [best, most] = [element, size];
      }
    }
  }
  return best;
}

function sixDigits(value: number): number {
  return Number.isInteger(value) ? value : Number(value.toPrecision(6));
}

/** As Python that makes it again; of many elements the first. */
function written(
  array: Npy,
  matrix: Matrix,
  rows: Range,
  columns: Range
): { text: string; cut: boolean } {
  const width = Math.min(columns[1] - columns[0], MOST_WRITTEN);
  const height = Math.min(rows[1] - rows[0], Math.max(1, Math.floor(MOST_WRITTEN / (width || 1))));
  const type = array.dtype === 'bool' ? 'bool' : `np.${array.dtype}`;
  if (width === 0 || height === 0) {
    return { text: `np.empty((${height}, ${width}), dtype=${type})`, cut: false };
  }
  const lines = Array.from({ length: height }, (_, row) => {
    const line = Array.from({ length: width }, (_, column) =>
      literal(array, matrix.at(rows[0] + row, columns[0] + column))
    );
    return `[${line.join(', ')}]`;
  });
  const flat = array.shape.length < 2;
  const inner = flat ? (lines[0] ?? '') : `[${lines.join(',\n          ')}]`;
  const text = `np.array(${array.shape.length ? inner : inner.slice(1, -1)}, dtype=${type})`;
  const all = [rows[1] - rows[0], columns[1] - columns[0]];
  const cut = height < (all[0] ?? 0) || width < (all[1] ?? 0);
  const told = `  # cut: the first [${height}, ${width}] of [${all.join(', ')}]`;
  return { text: cut ? text + told : text, cut };
}

function literal({ dtype, complex }: Npy, [re, im]: Element): string {
  if (dtype === 'bool') {
    return re ? 'True' : 'False';
  }
  if (!complex) {
    return /^u?int/.test(dtype) ? String(re) : real(re, dtype);
  }
  const part = dtype === 'complex64' ? 'float32' : 'float64';
  return `complex(${real(re, part)}, ${real(im, part)})`;
}

/** With the digits that it needs to be read as the same. */
function real(value: number, dtype: string): string {
  if (!Number.isFinite(value)) {
    return Number.isNaN(value) ? 'np.nan' : value > 0 ? 'np.inf' : '-np.inf';
  }
  let text = Object.is(value, -0) ? '-0' : String(value);
  if (dtype === 'float32') {
    for (let digits = 1; digits <= 9; digits++) {
      const short = String(Number(value.toPrecision(digits)));
      if (Math.fround(Number(short)) === value && value !== 0) {
        text = short;
        break;
      }
    }
  }
  return /[.e]/.test(text) ? text : `${text}.0`;
}
