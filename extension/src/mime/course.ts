/** The course of a training, as a notebook keeps it. It is data of strangers: checked here, shown as text. */
import type { Bundle } from './saved';

export const COURSE_MIME = 'application/vnd.vizgrad.course+json';

/** A norm: 'NaN' and 'Inf' as words, null: unknown. */
export type Norm = number | 'NaN' | 'Inf' | null;

export interface Layer {
  readonly name: string;
  /** The upper edge of its plots in the picture; null: it is folded. */
  readonly y: number | null;
  /** The same in the picture of all layers. */
  readonly all: number;
  /** Gradient, weight, update in parts of the weight: a number for each step. */
  readonly columns: readonly (readonly Norm[])[];
}

export interface Optimizer {
  readonly title: string;
  readonly total: number;
  readonly steps: readonly number[];
  /** The backward before each step, counted from 1 in its cell; 0: none. */
  readonly backwards: readonly number[];
  readonly losses: readonly Norm[];
  readonly layers: readonly Layer[];
}

export interface Course {
  /** The id of the cell whose loop it is; '': unknown. */
  readonly cell: string;
  /** The size of the picture. */
  readonly width: number;
  readonly height: number;
  /** The picture of all layers, where some are folded. */
  readonly all?: { readonly svg: string; readonly height: number };
  /** Left edge, width and height of the plots in a row. */
  readonly plots: readonly (readonly number[])[];
  readonly optimizers: readonly Optimizer[];
  readonly marks: readonly { readonly backward: number; readonly text: string }[];
  /** What the picture does not show by itself. */
  readonly note?: string;
  /** False: its backwards are counted in no cell that could be run again up to one of them. */
  readonly again?: boolean;
  /** Backwards that the kernel keeps as traces, in order, and the block that it knows them by. */
  readonly kept?: { readonly block: string; readonly backwards: readonly number[] };
}

const NAMES = ['gradient', 'weight', 'update / weight'];

/** Null where it is none. */
export function readCourse(bundle: Bundle): Course | null {
  const value = bundle[COURSE_MIME];
  if (!isRecord(value)) {
    return null;
  }
  const { cell, width, height, all, plots, optimizers, marks, kept, note, again } = value;
  const good =
    typeof cell === 'string' &&
    isNumber(width) &&
    isNumber(height) &&
    (all === undefined || (isRecord(all) && isText(all['svg']) && isNumber(all['height']))) &&
    isList(plots, plot => isList(plot, isNumber) && plot.length === 3) &&
    plots.length === NAMES.length &&
    isList(optimizers, isOptimizer) &&
    isList(marks, mark => isRecord(mark) && isNumber(mark['backward']) && isText(mark['text'])) &&
    (kept === undefined || isKept(kept)) &&
    (note === undefined || isText(note)) &&
    (again === undefined || typeof again === 'boolean');
  return good ? ({ ...value, optimizers: optimizers.map(placed) } as unknown as Course) : null;
}

/** Notebooks of before fold no layers. */
function placed(optimizer: unknown): unknown {
  const { layers, ...others } = optimizer as Optimizer;
  return { ...others, layers: layers.map(layer => ({ ...layer, all: allOf(layer) })) };
}

function allOf(layer: { y: number | null; all?: number }): number | null {
  return layer.all ?? layer.y;
}

function isKept(value: unknown): boolean {
  return isRecord(value) && isText(value['block']) && isList(value['backwards'], isNumber);
}

function isOptimizer(value: unknown): boolean {
  if (!isRecord(value)) {
    return false;
  }
  const { title, total, steps, backwards, losses, layers } = value;
  if (!isText(title) || !isNumber(total) || !isList(steps, isNumber) || steps.length === 0) {
    return false;
  }
  const { length } = steps;
  return (
    isList(backwards, isNumber) &&
    backwards.length === length &&
    isColumn(losses, length) &&
    isList(
      layers,
      layer =>
        isRecord(layer) &&
        isText(layer['name']) &&
        isPlaced(layer) &&
        isList(layer['columns'], column => isColumn(column, length)) &&
        layer['columns'].length === NAMES.length
    )
  );
}

/** How far along the plots a step lies, from 0 to 1, as the picture has it. */
export function shareOf({ steps, total }: Optimizer, at: number): number {
  const first = steps[0] ?? 0;
  const last = Math.max(total, steps.at(-1) ?? 0);
  return last > first ? ((steps[at] ?? first) - first) / (last - first) : 0.5;
}

/** The step that is drawn nearest to this share. */
export function stepAt(optimizer: Optimizer, share: number): number {
  let best = 0;
  optimizer.steps.forEach((_, at) => {
    const nearer = Math.abs(shareOf(optimizer, at) - share);
    if (nearer < Math.abs(shareOf(optimizer, best) - share)) {
      best = at;
    }
  });
  return best;
}

/** The steps after which something was found, in order. */
export function markedSteps({ marks }: Course, { backwards }: Optimizer): readonly number[] {
  const found = marks.map(({ backward }) => backwards.findIndex(each => each >= backward));
  return [...new Set(found)].filter(at => at >= 0).sort((a, b) => a - b);
}

/** What a step was, in words: `step 7, backward 7, loss 0.31`, and what was found there. */
export function stepText(course: Course, optimizer: Optimizer, at: number): string {
  const backward = optimizer.backwards[at] ?? 0;
  const before = at > 0 ? (optimizer.backwards[at - 1] ?? 0) : 0;
  const loss = optimizer.losses[at] ?? null;
  const found = course.marks.filter(mark => mark.backward > before && mark.backward <= backward);
  return [
    `step ${optimizer.steps[at]} of ${optimizer.total}`,
    ...(backward > 0 ? [`backward ${backward}`] : []),
    ...(loss === null ? [] : [`loss ${normText(loss)}`]),
    ...found.map(({ text }) => `found: ${text}`)
  ].join(', ');
}

/**
 * The backward that a click on a step opens: that before the step, or the last one since the step that is drawn before
 * it. Those after the last step that is drawn belong to that. Null: none of them is kept.
 */
export function keptAt(course: Course, optimizer: Optimizer, at: number): number | null {
  const { backwards } = optimizer;
  const backward = backwards[at] ?? 0;
  const before = at > 0 ? (backwards[at - 1] ?? 0) : 0;
  const known = course.kept?.backwards ?? [];
  if (known.includes(backward)) {
    return backward;
  }
  const end = at === backwards.length - 1 ? Infinity : backward;
  return known.findLast(each => each > before && each <= end) ?? null;
}

/** Findings that the words for the picture name. */
const MOST_NAMED = 3;

/** The picture in words, for who cannot see it: the numbers are read with the slider over it. */
export function altText({ optimizers, marks }: Course): string {
  const of = optimizers.map(
    ({ title, total, layers }) =>
      `${title}, ${count(total, 'step')}, ${count(layers.length, 'layer')}`
  );
  const found = marks.slice(0, MOST_NAMED).map(each => `backward ${each.backward}: ${each.text}`);
  const more = marks.length > MOST_NAMED ? [`${marks.length - MOST_NAMED} more findings`] : [];
  const curves = `Curves of ${NAMES.join(', ')}`;
  return [`${curves}: ${of.join('; ')}`, ...found, ...more].join('. ');
}

function count(n: number, noun: string): string {
  return `${n} ${noun}${n === 1 ? '' : 's'}`;
}

/** The norms of a layer at a step: `net.0: gradient 0.1, weight 2, update / weight 0.01`. */
export function layerText({ name, columns }: Layer, at: number): string {
  const norms = columns.map((column, nr) => `${NAMES[nr]} ${normText(column[at] ?? null)}`);
  return `${name}: ${norms.join(', ')}`;
}

export function normText(norm: Norm): string {
  return norm === null ? 'unknown' : typeof norm === 'string' ? norm : String(+norm.toPrecision(3));
}

/** What a cell begins with that stops before this backward. */
export function magicAt(backward: number): string {
  return `%%vizgrad debug --at ${backward}`;
}

function isPlaced({ y, all }: Record<string, unknown>): boolean {
  return y === null ? isNumber(all) : isNumber(y) && (all === undefined || isNumber(all));
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function isList(value: unknown, good: (each: unknown) => boolean): value is unknown[] {
  return Array.isArray(value) && value.every(good);
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

function isText(value: unknown): boolean {
  return typeof value === 'string';
}

function isColumn(value: unknown, length: number): boolean {
  return (
    isList(value, each => each === null || each === 'NaN' || each === 'Inf' || isNumber(each)) &&
    value.length === length
  );
}
