/**
 * What is on a node's card, and where: as the static picture has it (`debugger/drawing/cards.py`), in the
 * size that the kernel gave the box. Nothing here depends on the run but the chips of saved values.
 */
import type { DrawnBox, Node, OutputMeta, Saved } from '../../protocol';
import { plainName } from '../../store';
import { batched } from '../format';
import type { TextMetrics } from './text';

export const PADDING = 10;
export const NAME_LINE = 17;
export const TYPE_LINE = 32;
export const CHIPS_TOP = 38;
export const CHIP_HEIGHT = 16;
const CHIP_GAP = 4;
const CHIP_PADDING = 6;
/** Room for the warning sign of a stale value. */
export const CHIP_SIGN = 13;
const PORTS = 14;
/** Height of a card with chips, without them and its ports. */
const BARE = 39;

const DTYPES: Readonly<Record<string, string>> = {
  float16: 'f16',
  bfloat16: 'bf16',
  float32: 'f32',
  float64: 'f64',
  complex64: 'c64',
  complex128: 'c128',
  uint8: 'u8',
  int8: 'i8',
  int16: 'i16',
  int32: 'i32',
  int64: 'i64'
};

/** "[2, 3] f32", "[B: 32] × [10] f32"; of several outputs the first, and how many there are. */
export function typeText(outputs: readonly OutputMeta[]): string {
  const [first] = outputs;
  if (!first) {
    return '';
  }
  const text =
    first.dtype === 'unknown'
      ? 'type unknown'
      : `${batched(first.shape, first.batches)} ${DTYPES[first.dtype] ?? first.dtype}`.trim();
  return outputs.length > 1 ? `${text} ×${outputs.length}` : text;
}

/** As much of `typeText` as there is room for: a shape is worth more than what it is a shape of. */
export function typeIn(outputs: readonly OutputMeta[], room: number, metrics: TextMetrics): string {
  const whole = typeText(outputs);
  const shape = outputs.length === 1 ? whole.slice(0, whole.lastIndexOf(']') + 1) : '';
  const alone = shape && metrics.width(whole, 'type') > room ? shape : whole;
  return metrics.fit(alone, room, 'type');
}

/** The variable's name for a leaf, else the node's. */
export function mainText(node: Node): string {
  return node.kind === 'leaf' && node.label ? node.label : node.name;
}

/** A name to be read from further away: of thousands that end alike, without that end. */
export function farText(node: Node): string {
  const text = mainText(node);
  return text.replace(/Backward\d*$/, '') || text;
}

/** How far from the sides of the card its contents are: a function has bars there. */
export function sideOf(node: Node): number {
  return node.kind === 'function' ? PADDING + 6 : PADDING;
}

export interface Chip {
  readonly saved: Saved;
  readonly text: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
}

export interface Chips {
  readonly chips: readonly Chip[];
  /** How many found no room, and where that is written. */
  readonly more: number;
  readonly x: number;
  readonly y: number;
}

/**
 * Chips in as many rows as the card has. A value that became stale has more to say than when the
 * card was sized: then all are cut to their names, and if that is not enough some are only counted. Plain
 * values are there as far as there is room.
 */
export function chipsOf(
  all: readonly Saved[],
  box: DrawnBox,
  side: number,
  metrics: TextMetrics
): Chips {
  const width = box.width - 2 * side;
  const ports = box.ports.some(Boolean) ? PORTS : 0;
  const rows = Math.round((box.height - BARE - ports) / (CHIP_HEIGHT + CHIP_GAP));
  if (rows < 1) {
    return { chips: [], more: 0, x: 0, y: 0 };
  }
  const saved = all.filter(({ value }) => value === '');
  const plain = all.filter(({ name, value }) => value !== '' && !name.endsWith('_meta'));
  let long = placed(saved.map(chipText), saved, width, metrics);
  if (long.rows <= rows) {
    let shown = saved;
    for (const value of plain) {
      const more = [...shown, value];
      const longer = placed(more.map(chipText), more, width, metrics);
      if (
        longer.rows <= rows &&
        longer.chips.every(({ saved: { value: v }, text }) => !v || !text.endsWith('…'))
      ) {
        long = longer;
        shown = more;
      }
    }
    return { chips: long.chips, more: 0, x: 0, y: 0 };
  }
  const ordered = [...saved].sort((a, b) => need(b) - need(a));
  const short = placed(
    ordered.map(value => value.name),
    ordered,
    width,
    metrics
  );
  if (short.rows <= rows) {
    return { chips: short.chips, more: 0, x: 0, y: 0 };
  }
  const room = width - metrics.width('+99', 'chip') - CHIP_GAP;
  const last = (rows - 1) * (CHIP_HEIGHT + CHIP_GAP);
  const chips = short.chips.filter(
    ({ x, y, width: w }) => y < last || (y === last && x + w <= room)
  );
  const end = chips.reduce((x, chip) => (chip.y === last ? chip.x + chip.width + CHIP_GAP : x), 0);
  return { chips, more: saved.length - chips.length, x: end, y: last };
}

function need({ state }: Saved): number {
  return state === 'stale' ? 1 : 0;
}

/** "self v0", "self v0→v1" for a stale one, "dim=0" for a plain value; "self v0 ↑" with a tangent. */
function chipText({ name, value, state, version_saved, version_now, tangents }: Saved): string {
  if (value) {
    return `${plainName(name)}=${value.length > 20 ? `${value.slice(0, 19)}…` : value}`;
  }
  const version = version_saved === null ? 'v?' : `v${version_saved}`;
  const up = tangents.length > 0 ? ` ${'↑'.repeat(tangents.length)}` : '';
  return state === 'stale' ? `${name} ${version}→v${version_now}` : `${name} ${version}${up}`;
}

function placed(
  texts: readonly string[],
  saved: readonly Saved[],
  width: number,
  metrics: TextMetrics
): { chips: Chip[]; rows: number } {
  const chips: Chip[] = [];
  let x = 0;
  let row = 0;
  saved.forEach((value, i) => {
    const sign = value.state === 'stale' ? CHIP_SIGN : 0;
    const most = width - 2 * CHIP_PADDING - sign;
    const text = metrics.fit(texts[i] ?? value.name, most, 'chip');
    const needed = Math.min(metrics.width(text, 'chip') + 2 * CHIP_PADDING + sign, width);
    if (x > 0 && x + needed > width) {
      x = 0;
      row++;
    }
    chips.push({ saved: value, text, x, y: row * (CHIP_HEIGHT + CHIP_GAP), width: needed });
    x += needed + CHIP_GAP;
  });
  return { chips, rows: row + 1 };
}

export interface Port {
  readonly text: string;
  /** Of the middle of the name, within the box. */
  readonly x: number;
}

/** Names of the lines that leave the box, above where they start; each leaves its neighbours their room. */
export function portsOf(
  box: DrawnBox,
  starts: readonly number[],
  metrics: TextMetrics
): readonly Port[] {
  const half = (i: number): number => metrics.width(box.ports[i] ?? '', 'port') / 2;
  const free = (i: number, other: number): number => {
    const distance = Math.abs((starts[i] ?? Infinity) - (starts[other] ?? Infinity));
    return Number.isNaN(distance) ? Infinity : Math.max(distance - half(other), distance / 2) - 3;
  };
  return box.ports.flatMap((name, i) => {
    const start = starts[i];
    if (!name || start === undefined) {
      return [];
    }
    const room = Math.max(2 * Math.min(free(i, i - 1), free(i, i + 1)), 10);
    if (metrics.enlarged && metrics.width(name, 'port') > room) {
      return []; // Seen from further away less is said, rather than half of it.
    }
    return [{ text: metrics.fit(name, room, 'port'), x: start - box.x }];
  });
}
