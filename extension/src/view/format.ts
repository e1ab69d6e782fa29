/** Numbers, sizes and places as short text, as the kernel writes them (`debugger/drawing/describe.py`). */
import { unquoted } from './Sentence';
import type { Batch, NodeRun, Place, Run, SavedState, TensorSummary, Visit } from '../protocol';

/** About four significant digits; words for what is not finite. */
export function number(value: number | null): string {
  if (value === null) {
    return '–';
  }
  if (Number.isNaN(value)) {
    return 'NaN';
  }
  if (!Number.isFinite(value)) {
    return value > 0 ? 'inf' : '-inf';
  }
  if (value === 0) {
    return '0';
  }
  const rounded = Number(value.toPrecision(4));
  const size = Math.abs(rounded);
  return size >= 1e5 || size < 1e-3
    ? value
        .toExponential(2)
        .replace(/\.?0+e/, 'e')
        .replace('e+', 'e')
    : `${rounded}`;
}

/** Three significant digits, for the drawing. */
export function brief(value: number | null): string {
  return number(value === null || !Number.isFinite(value) ? value : Number(value.toPrecision(3)));
}

/** " ↓36": the norms of the tangents of a gradient, which go down with it; empty without. */
export function sizes(norms: readonly (number | null)[], text = brief): string {
  return norms.map(norm => ` ↓${text(norm)}`).join('');
}

export function bytes(count: number): string {
  if (count < 1000) {
    return `${count} B`;
  }
  const units = ['kB', 'MB', 'GB', 'TB'];
  let value = count;
  let unit = -1;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  return `${value < 9.95 ? value.toFixed(1) : Math.round(value)} ${units[unit]}`;
}

/** An angle in radians, as degrees. */
export function angle(radians: number): string {
  return `${Number(((radians * 180) / Math.PI).toPrecision(4))}°`;
}

export function shape(dims: readonly number[]): string {
  return `[${dims.join(', ')}]`;
}

/**
 * A shape with each dimension apart in which examples of a vmap lie: "[B: 32] × [10]"; "[3] × [B: 32 · 4]", of which each
 * has four rows.
 */
export function batched(dims: readonly number[], batches: readonly Batch[]): string {
  const parts: string[] = [];
  let others: number[] = [];
  dims.forEach((length, dim) => {
    const own = batches.filter(batch => batch.dim === dim).sort((a, b) => b.rows - a.rows);
    if (own.length === 0) {
      others.push(length);
      return;
    }
    if (others.length > 0) {
      parts.push(shape(others));
      others = [];
    }
    parts.push(`[${factors(length, own).join(' · ')}]`);
  });
  const single = batches.length === dims.length && batches.every(({ rows }) => rows === 1);
  return (
    others.length > 0 || single || parts.length === 0 ? [...parts, shape(others)] : parts
  ).join(' × ');
}

/** The factors of a dimension, from the slowest to the fastest. */
function factors(length: number, batches: readonly Batch[]): string[] {
  const found: string[] = [];
  let left = length;
  for (const { size, rows } of batches) {
    if (left !== size * rows) {
      found.push(`${Math.floor(left / Math.max(size * rows, 1))}`);
    }
    found.push(`B: ${size}`);
    left = rows;
  }
  return left === 1 ? found : [...found, `${left}`];
}

export function seconds(value: number): string {
  if (value >= 1) {
    return `${value.toPrecision(3)} s`;
  }
  return value >= 1e-3 ? `${(value * 1e3).toPrecision(3)} ms` : `${Math.round(value * 1e6)} µs`;
}

/** Made once: that takes longer than writing a thousand numbers. */
const WHOLE = new Intl.NumberFormat('en-US');

/** 12345 as "12,345". */
export function whole(n: number): string {
  return WHOLE.format(n);
}

export function count(n: number, noun: string, plural = `${noun}s`): string {
  return `${whole(n)} ${n === 1 ? noun : plural}`;
}

/** A version counter's value; null is one that is not known any more. */
export function counter(version: number | null): string {
  return version === null ? '?' : `${version}`;
}

/** Where a line of code is: the cell if it is one, else the file's last part. */
export function place({ file, line, cell }: Place): string {
  const [name = file] = file.split(/[/\\]/).reverse();
  return cell === null ? `${name}:${line}` : `${cell}, line ${line}`;
}

export function tensor({ shape: dims, dtype }: Pick<TensorSummary, 'shape' | 'dtype'>): string {
  return `${dtype} ${shape(dims)}`;
}

/** How many nodes are done where a run stands: one that raised is not. */
export const doneCount = ({ position, status }: Pick<Run, 'position' | 'status'>): number =>
  position - (status === 'failed' ? 1 : 0);

/** While the run moves: whether a node is the one that is running, or another is. */
export type Running = 'here' | 'elsewhere' | null;

/** Nodes that it makes no difference to are told nothing, and not drawn again. */
export function whereRuns(running: number | null, { state }: NodeRun, node: number): Running {
  return running === node ? 'here' : running !== null && state === 'current' ? 'elsewhere' : null;
}

/** What is running is drawn as what is next, also where the records do not tell of it yet; what was next is done then. */
export function drawnState(run: NodeRun, running: Running): NodeRun['state'] {
  return running === 'here' ? 'current' : running === 'elsewhere' ? 'done' : run.state;
}

/**
 * The state of a node in words, for its second line and its accessible name. What was next when another is running is
 * done: the kernel tells what it did when it stops.
 */
export function nodeState(run: NodeRun, running: Running = null): string {
  if (running === 'here') {
    return 'running';
  }
  switch (run.state) {
    case 'waiting':
      return run.needed > 0
        ? `waiting, ${whole(run.delivered)} of ${whole(run.needed)}`
        : 'not run'; // A picture of a graph has no run that it waits in.
    case 'ready':
      return 'ready';
    case 'current':
      return running === null ? 'runs next' : 'done';
    case 'done': {
      const order = run.order === null ? 'done' : `done #${whole(run.order + 1)}`;
      return run.grad_norm === null
        ? `${order}, no gradient`
        : `${order}, ‖g‖ ${number(run.grad_norm)}${sizes(run.tangents, number)}`;
    }
    case 'skipped':
      return because('skipped', run);
    case 'captured':
      return because('captured', run);
    case 'error':
      return because('error', run);
  }
}

function because(what: string, { reason }: NodeRun): string {
  return reason ? `${what}: ${unquoted(reason)}` : what;
}

/** The norm of a gradient that is not finite and was made of finite ones, at this visit; null if there is none. */
export function madeAt(visit: Visit | null | undefined): number | null {
  const isOdd = (summary: TensorSummary | null): boolean =>
    summary !== null && summary.nans + summary.infs > 0;
  if (!visit || visit.incoming.some(isOdd)) {
    return null;
  }
  return visit.routed.find(({ routed }) => isOdd(routed))?.routed?.norm ?? null;
}

/** The same in few letters, beside the state's sign in the drawing. */
export function nodeBrief(run: NodeRun, running: Running = null): string {
  if (running === 'here' || run.state === 'current') {
    return nodeState(run, running);
  }
  switch (run.state) {
    case 'waiting':
      return run.needed > 0 ? `waiting ${whole(run.delivered)}/${whole(run.needed)}` : 'not run';
    case 'done': {
      const order = run.order === null ? 'done' : `#${whole(run.order + 1)}`;
      return run.grad_norm === null
        ? `${order} undefined`
        : `${order}  ‖g‖ ${brief(run.grad_norm)}${sizes(run.tangents)}`;
    }
    default:
      return run.state;
  }
}

export const SAVED_WORDS: Readonly<Record<SavedState, string>> = {
  alive: 'in memory',
  stale: 'stale: modified after saving',
  freed: 'released',
  packed: 'packed by a hook'
};
