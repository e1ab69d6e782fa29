/**
 * The records of an uncompressed zip: nothing is unpacked, so nothing can grow. What is compressed, encrypted or
 * split, or says of itself what is not so, is refused.
 */

/** A file is no trace, or one that is damaged or made to do harm. */
export class BadFile extends Error {
  constructor(problem: string) {
    super(`This is no trace that can be read: ${problem}.`);
    this.name = 'BadFile';
  }
}

const END = 0x06054b50;
const ENTRY = 0x02014b50;
const LOCAL = 0x04034b50;
/** Bytes of the shortest end of a directory, entry and local header. */
const END_SIZE = 22;
const ENTRY_SIZE = 46;
const LOCAL_SIZE = 30;
/** What may stand behind the end of the directory. */
const MOST_COMMENT = 0xffff;
const MOST_RECORDS = 100_000;

export function readZip(bytes: Uint8Array): Map<string, Uint8Array> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = endOf(view);
  const count = view.getUint16(end + 10, true);
  let at = view.getUint32(end + 16, true);
  if (count > MOST_RECORDS) {
    throw new BadFile('it has too many records');
  }
  const records = new Map<string, Uint8Array>();
  for (let i = 0; i < count; i++) {
    if (at + ENTRY_SIZE > end || view.getUint32(at, true) !== ENTRY) {
      throw new BadFile('its directory is damaged');
    }
    const [name, size] = [view.getUint16(at + 28, true), view.getUint16(at + 30, true)];
    const next = at + ENTRY_SIZE + name + size + view.getUint16(at + 32, true);
    if (next > end) {
      throw new BadFile('its directory is damaged');
    }
    const called = text(bytes.subarray(at + ENTRY_SIZE, at + ENTRY_SIZE + name));
    records.set(called, recordAt(bytes, view, at));
    at = next;
  }
  return records;
}

/** Where the end of the directory begins: searched from behind, since a comment may follow. */
function endOf(view: DataView): number {
  const first = Math.max(0, view.byteLength - END_SIZE - MOST_COMMENT);
  for (let at = view.byteLength - END_SIZE; at >= first; at--) {
    if (view.getUint32(at, true) === END) {
      return at;
    }
  }
  throw new BadFile('it is no zip file, or was cut short');
}

function recordAt(bytes: Uint8Array, view: DataView, entry: number): Uint8Array {
  const flags = view.getUint16(entry + 8, true);
  const method = view.getUint16(entry + 10, true);
  const sum = view.getUint32(entry + 16, true);
  const packed = view.getUint32(entry + 20, true);
  const size = view.getUint32(entry + 24, true);
  const local = view.getUint32(entry + 42, true);
  if (method !== 0 || (flags & 1) !== 0 || packed !== size) {
    throw new BadFile('it is compressed; vizgrad writes traces without');
  }
  if (local + LOCAL_SIZE > view.byteLength || view.getUint32(local, true) !== LOCAL) {
    throw new BadFile('a record of it is not where its directory says');
  }
  const start =
    local + LOCAL_SIZE + view.getUint16(local + 26, true) + view.getUint16(local + 28, true);
  if (start + size > view.byteLength) {
    throw new BadFile('a record of it reaches beyond its end');
  }
  const record = bytes.subarray(start, start + size);
  if (checksum(record) !== sum) {
    throw new BadFile('a record of it is damaged');
  }
  return record;
}

/** Throws for bytes that are no text. */
export function text(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new BadFile('a text in it is damaged');
  }
}

const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit++) {
    value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  }
  return value;
});

/** CRC-32. */
export function checksum(bytes: Uint8Array): number {
  let value = 0xffffffff;
  for (const byte of bytes) {
    value = (TABLE[(value ^ byte) & 0xff] as number) ^ (value >>> 8);
  }
  return (value ^ 0xffffffff) >>> 0;
}
