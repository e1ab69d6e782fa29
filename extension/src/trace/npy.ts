/** An array as numpy writes it to a file: numbers alone, read where they lie. */
import { BadFile } from './zip';

export interface Npy {
  readonly shape: readonly number[];
  /** As numpy calls it: "float32". */
  readonly dtype: string;
  readonly complex: boolean;
  /** The element at these places, its real part first; of a real one the second is 0. */
  at(index: readonly number[]): readonly [number, number];
}

interface Kind {
  readonly dtype: string;
  readonly size: number;
  readonly read: (view: DataView, at: number, little: boolean) => number;
}

const KINDS: Readonly<Record<string, Kind>> = {
  b1: { dtype: 'bool', size: 1, read: (view, at) => view.getUint8(at) },
  i1: { dtype: 'int8', size: 1, read: (view, at) => view.getInt8(at) },
  u1: { dtype: 'uint8', size: 1, read: (view, at) => view.getUint8(at) },
  i2: { dtype: 'int16', size: 2, read: (view, at, little) => view.getInt16(at, little) },
  u2: { dtype: 'uint16', size: 2, read: (view, at, little) => view.getUint16(at, little) },
  i4: { dtype: 'int32', size: 4, read: (view, at, little) => view.getInt32(at, little) },
  u4: { dtype: 'uint32', size: 4, read: (view, at, little) => view.getUint32(at, little) },
  i8: { dtype: 'int64', size: 8, read: (view, at, little) => Number(view.getBigInt64(at, little)) },
  u8: {
    dtype: 'uint64',
    size: 8,
    read: (view, at, little) => Number(view.getBigUint64(at, little))
  },
  f2: { dtype: 'float16', size: 2, read: (view, at, little) => half(view.getUint16(at, little)) },
  f4: { dtype: 'float32', size: 4, read: (view, at, little) => view.getFloat32(at, little) },
  f8: { dtype: 'float64', size: 8, read: (view, at, little) => view.getFloat64(at, little) },
  c8: { dtype: 'complex64', size: 4, read: (view, at, little) => view.getFloat32(at, little) },
  c16: { dtype: 'complex128', size: 8, read: (view, at, little) => view.getFloat64(at, little) }
};

/** Each text is read in one way: where there are two for every digit a browser tries them all. */
const HEADER =
  /^\{'descr': '([<>|])([biufc]\d{1,2})', 'fortran_order': (True|False), 'shape': \((|\d{1,15}(?:, \d{1,15}){0,63},?)\), \} *\n$/;
const MAGIC = [0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59];

export function readNpy(bytes: Uint8Array): Npy {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < 12 || MAGIC.some((byte, place) => bytes[place] !== byte)) {
    throw new BadFile('an array in it is damaged');
  }
  const long = bytes[6] !== 1;
  const start = (long ? 12 : 10) + (long ? view.getUint32(8, true) : view.getUint16(8, true));
  const found = HEADER.exec(
    String.fromCharCode(...bytes.subarray(long ? 12 : 10, start).slice(0, 4096))
  );
  const kind = KINDS[found?.[2] ?? ''];
  if (!found || !kind) {
    throw new BadFile('an array in it is of an unknown kind');
  }
  const complex = kind.dtype.startsWith('complex');
  const shape = (found[4] ?? '')
    .split(',')
    .map(each => each.trim())
    .filter(Boolean)
    .map(Number);
  const size = kind.size * (complex ? 2 : 1);
  if (shape.reduce((a, b) => a * b, size) !== bytes.length - start) {
    throw new BadFile('an array in it is not as long as it says');
  }
  const strides = stridesOf(shape, found[3] === 'True', size);
  const little = found[1] !== '>';
  return {
    shape,
    dtype: kind.dtype,
    complex,
    at: index => {
      const place = index.reduce((sum, each, axis) => sum + each * (strides[axis] ?? 0), start);
      const second = complex ? kind.read(view, place + kind.size, little) : 0;
      return [kind.read(view, place, little), second];
    }
  };
}

/** One of the arrays that stand one after another in a file. */
export function partOf({ shape: [count = 0, ...shape], at, ...rest }: Npy, place: number): Npy {
  if (!(place >= 0 && place < count)) {
    throw new BadFile(`there is no array ${place} among ${count} in it`);
  }
  return { ...rest, shape, at: index => at([place, ...index]) };
}

function stridesOf(shape: readonly number[], fortran: boolean, size: number): readonly number[] {
  const strides = new Array<number>(shape.length);
  let step = size;
  for (let i = 0; i < shape.length; i++) {
    const axis = fortran ? i : shape.length - 1 - i;
    strides[axis] = step;
    step *= shape[axis] ?? 1;
  }
  return strides;
}

/** A number of 16 bits. */
function half(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0x1f) {
    return fraction ? NaN : sign * Infinity;
  }
  return exponent === 0
    ? sign * 2 ** -24 * fraction
    : sign * 2 ** (exponent - 25) * (0x400 + fraction);
}
