/**
 * The records of a zip, stored or deflated. What is unpacked is not larger than it says, and than a limit; what is
 * encrypted or split, or says of itself what is not so, is refused.
 */

/** A file is no trace, or one that is damaged or made to do harm. */
export class BadFile extends Error {
  constructor(problem: string, said = `This is not a readable trace: ${problem}.`) {
    super(said);
    this.name = 'BadFile';
  }
}

/** A file is more than a page has room for. */
export class TooLarge extends BadFile {
  constructor(much: string, less: string) {
    super(
      much,
      `This trace is too large for a page: ${much}. Open it in Python, where vizgrad.load_trace reads traces of any ` +
        `size; or save less: ${less}.`
    );
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
/** Bytes of all records together, unpacked. */
const MOST_UNPACKED = 1 << 28;
/** What makes a file smaller, as a person may do it. */
export const WITHOUT_GRADIENTS = 'trace.save(path, arrays=0) leaves the gradients out';
const STORED = 0;
const DEFLATED = 8;

/** Where a record is, and what is to become of it. */
interface Entry {
  readonly data: Uint8Array<ArrayBuffer>;
  readonly deflated: boolean;
  readonly size: number;
  readonly sum: number;
}

export async function readZip(bytes: Uint8Array<ArrayBuffer>): Promise<Map<string, Uint8Array>> {
  const records = new Map<string, Uint8Array>();
  let left = Math.max(MOST_UNPACKED, bytes.length);
  for (const [name, entry] of directoryOf(bytes)) {
    left -= entry.size;
    if (left < 0) {
      throw new TooLarge(
        `unpacked it has more than ${MOST_UNPACKED / 2 ** 20} MiB`,
        WITHOUT_GRADIENTS
      );
    }
    const record = entry.deflated ? await inflated(entry) : entry.data;
    if (checksum(record) !== entry.sum) {
      throw new BadFile('a record of it is damaged');
    }
    records.set(name, record);
  }
  return records;
}

/** Not more than it says is unpacked, whatever there is. */
async function inflated({ data, size }: Entry): Promise<Uint8Array> {
  const out = new Uint8Array(size);
  const unpacking = new DecompressionStream('deflate-raw');
  const writer = unpacking.writable.getWriter();
  // What is wrong with the bytes is told to who reads, too.
  void writer.write(data).catch(() => undefined);
  void writer.close().catch(() => undefined);
  const reader = unpacking.readable.getReader();
  let at = 0;
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      if (at + part.value.length > size) {
        throw new BadFile('a record of it is larger than it says');
      }
      out.set(part.value, at);
      at += part.value.length;
    }
  } catch (error) {
    void reader.cancel().catch(() => undefined);
    throw error instanceof BadFile ? error : new BadFile('a record of it is damaged');
  }
  if (at < size) {
    throw new BadFile('a record of it is cut short');
  }
  return out;
}

function directoryOf(bytes: Uint8Array<ArrayBuffer>): Map<string, Entry> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = endOf(view);
  const count = view.getUint16(end + 10, true);
  let at = view.getUint32(end + 16, true);
  if (count > MOST_RECORDS) {
    throw new BadFile('it has too many records');
  }
  const entries = new Map<string, Entry>();
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
    entries.set(called, entryAt(bytes, view, at));
    at = next;
  }
  return entries;
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

function entryAt(bytes: Uint8Array<ArrayBuffer>, view: DataView, entry: number): Entry {
  const flags = view.getUint16(entry + 8, true);
  const method = view.getUint16(entry + 10, true);
  const sum = view.getUint32(entry + 16, true);
  const packed = view.getUint32(entry + 20, true);
  const size = view.getUint32(entry + 24, true);
  const local = view.getUint32(entry + 42, true);
  const known = method === DEFLATED || (method === STORED && packed === size);
  if (!known || (flags & 1) !== 0) {
    throw new BadFile('a record of it is packed in a way that vizgrad does not use');
  }
  if (local + LOCAL_SIZE > view.byteLength || view.getUint32(local, true) !== LOCAL) {
    throw new BadFile('a record of it is not where its directory says');
  }
  const start =
    local + LOCAL_SIZE + view.getUint16(local + 26, true) + view.getUint16(local + 28, true);
  if (start + packed > view.byteLength) {
    throw new BadFile('a record of it reaches beyond its end');
  }
  return { data: bytes.subarray(start, start + packed), deflated: method === DEFLATED, size, sum };
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
