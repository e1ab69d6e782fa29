/** Reads the file of a trace, which may come from a stranger: whatever is wrong with it is a `BadFile`. */
import {
  checkDrawing,
  checkStanding,
  checkStorages,
  checkUpdate,
  Malformed,
  MODEL_VERSION,
  MOST_IN_PAGE,
  readFiledArrays,
  readFiledView,
  readManifest,
  readTrace,
  sharing,
  TRACE_FORMAT,
  TRACE_VERSION
} from '../protocol';
import type {
  ArrayName,
  Drawing,
  Filed,
  FiledDrawing,
  FiledView,
  Graph,
  Manifest,
  Standing,
  Start,
  StepRecord,
  Trace
} from '../protocol';
import { fromColumns } from './columns';
import { partOf, readNpy } from './npy';
import type { Npy } from './npy';
import { BadFile, readZip, text, TooLarge, WITHOUT_GRADIENTS } from './zip';

/** A larger file is not read: a page would have no room for it. */
export const MOST_BYTES = 100_000_000;
/** The first version of files that is written in columns. */
const IN_COLUMNS = 2;

/** A drawing with what is in it, and the run before its first step as it is seen there. */
export interface Drawn {
  readonly drawing: Drawing;
  readonly standing: Standing;
  /** Groups that are open. */
  readonly opened: ReadonlySet<number>;
}

export interface TraceFile {
  readonly manifest: Manifest;
  readonly trace: Trace;
  readonly view: FiledView;
  readonly drawings: readonly [Drawn, ...Drawn[]];
  readonly start: Start;
  readonly records: readonly StepRecord[];
  readonly arrays: readonly Filed[];
  /** A gradient; undefined: it is not in the file. Throws `BadFile` for one that is damaged. */
  array(of: ArrayName): Npy | undefined;
}

/** Told how much of the work is done, from 0 to 1, and of what. */
export type Progress = (share: number, text: string) => void;

export async function readTraceFile(
  bytes: Uint8Array<ArrayBuffer>,
  progress: Progress = () => undefined
): Promise<TraceFile> {
  refuseLarge(bytes.length);
  try {
    progress(0, 'Unpacking the trace');
    const records = await readZip(bytes);
    return fileOf(records, progress);
  } catch (error) {
    if (error instanceof BadFile) {
      throw error;
    }
    // `Malformed`, an error of the text that is no JSON, or a list too long for this browser.
    throw new BadFile(error instanceof Error ? error.message : String(error));
  }
}

/** Bytes written in base64. */
export function bytesIn(text: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(text), letter => letter.charCodeAt(0));
  } catch {
    throw new BadFile('its text is damaged');
  }
}

/** Throws `BadFile` for a file of so many bytes. */
export function refuseLarge(bytes: number): void {
  if (bytes > MOST_BYTES) {
    const size = `it has ${Math.round(bytes / 1e6)} MB, and ${MOST_BYTES / 1e6} MB are the most`;
    throw new TooLarge(size, WITHOUT_GRADIENTS);
  }
}

function fileOf(records: ReadonlyMap<string, Uint8Array>, progress: Progress): TraceFile {
  const json = (name: string): unknown => {
    const record = records.get(name);
    if (!record) {
      throw new BadFile(`there is no ${name} in it`);
    }
    return JSON.parse(text(record));
  };
  const manifest = readManifest(json('manifest.json'));
  if (manifest.format !== TRACE_FORMAT) {
    throw new BadFile('it is a file of something else');
  }
  if (manifest.version > TRACE_VERSION) {
    throw new BadFile('a newer vizgrad wrote it; update vizgrad where Jupyter runs');
  }
  const size = manifest.nodes + manifest.steps;
  if (size > MOST_IN_PAGE) {
    const [nodes, steps, most] = [manifest.nodes, manifest.steps, MOST_IN_PAGE].map(each =>
      each.toLocaleString('en-US')
    );
    throw new TooLarge(
      `it has ${nodes} nodes and ${steps} steps, and ${most} together are the most`,
      'a run of fewer steps, or of a graph of fewer nodes'
    );
  }
  const columns = manifest.version >= IN_COLUMNS;
  const much = `${manifest.nodes.toLocaleString('en-US')} nodes and ${manifest.steps.toLocaleString('en-US')} steps`;
  const tell = (share: number): void => progress(share, `Reading ${much}`);
  // About what each takes of the time for a long loop.
  const [UNPACKED, READ, CHECKED] = [0.1, 0.75, 0.9];
  const part = <T>(name: string, read: (data: unknown) => T, from = CHECKED, to = 1): T => {
    const parsed = from + (to - from) / 3;
    const data = json(name);
    tell(parsed);
    return columns
      ? sharing(() => read(fromColumns(data, done => tell(parsed + done * (to - parsed)))))
      : read(data);
  };
  tell(UNPACKED);
  const trace = part('trace.json', data => forBrowser(readTrace(data)), UNPACKED, READ);
  if (trace.version > MODEL_VERSION) {
    throw new BadFile('a newer vizgrad wrote it; update vizgrad where Jupyter runs');
  }
  const view = part('view.json', readFiledView);
  const start = view.start ?? trace.start;
  if (!start) {
    throw new BadFile('it does not say how its run began');
  }
  const steps = view.start ? view.records : trace.records;
  tell(CHECKED);
  checkGraph(trace.graph);
  checkSteps(steps, start, trace.graph.nodes.length);
  const [first, ...others] = view.drawings.map(filed => drawnOf(filed, trace.graph));
  if (!first) {
    throw new BadFile('there is no drawing in it');
  }
  for (const { made, at, drawing } of view.lanes) {
    checkDrawing(drawing, made.length);
    if (at.length !== made.length) {
      throw new BadFile('a lane in it does not say when it was made');
    }
  }
  for (const { differences, first } of view.beside) {
    const nodes = [...differences.map(({ node }) => node), first ?? 0];
    if (nodes.some(node => node < 0 || node >= trace.graph.nodes.length)) {
      throw new BadFile('it is compared at nodes that it has not');
    }
  }
  const filed = columns ? part('arrays.json', readFiledArrays).arrays : manifest.arrays;
  let names: ReadonlyMap<string, Filed> | null = null;
  const array = (of: ArrayName): Npy | undefined => {
    names ??= new Map(filed.flatMap(each => each.of.map(one => [keyOf(one), each] as const)));
    const found = names.get(keyOf(of));
    const record = found && records.get(found.file);
    return record && (found.at === null ? readNpy(record) : partOf(readNpy(record), found.at));
  };
  return {
    manifest,
    trace,
    view,
    drawings: [first, ...others],
    start,
    records: steps,
    arrays: filed,
    array
  };
}

/** Leaves without their sequence number, 2**64 - 1, which no number is exactly: as the kernel sends nodes. */
function forBrowser(trace: Trace): Trace {
  const nodes = trace.graph.nodes.map(node =>
    node.kind === 'leaf' ? { ...node, sequence_nr: 0 } : node
  );
  return { ...trace, graph: { ...trace.graph, nodes } };
}

function keyOf({ node, kind, nr }: ArrayName): string {
  return `${node} ${kind} ${nr}`;
}

function drawnOf({ drawing, nodes, groups, standing }: FiledDrawing, graph: Graph): Drawn {
  const whole = {
    ...drawing,
    nodes: nodes.map(node => there(graph.nodes, node)),
    groups: groups.map(group => there(graph.groups, group))
  };
  const size = graph.nodes.length;
  checkDrawing(whole, size);
  checkStanding(standing, whole, size);
  if (standing.position !== 0) {
    throw new BadFile('a drawing in it is not of the start');
  }
  return { drawing: whole, standing, opened: new Set(drawing.frames.map(({ group }) => group)) };
}

function there<T>(list: readonly T[], place: number): T {
  const found = list[place];
  if (found === undefined) {
    throw new BadFile(`a drawing in it shows number ${place} of ${list.length}`);
  }
  return found;
}

function checkGraph({ nodes, groups, storages }: Graph): void {
  nodes.forEach(({ id, edges }, place) => {
    const beyond = edges.some(
      ({ node }) => node !== null && (node <= place || node >= nodes.length)
    );
    if (id !== place || beyond) {
      throw new BadFile(`node ${place} of its graph is misplaced`);
    }
  });
  groups.forEach(({ id, parent, first, last }, place) => {
    const misplaced = parent !== null && (parent < 0 || parent >= place);
    if (id !== place || misplaced || first < 0 || last <= first || last > nodes.length) {
      throw new BadFile(`group ${place} of its graph is misplaced`);
    }
  });
  checkStorages(storages, nodes.length);
}

/** Each step is of the node that was to come, and no node comes twice. */
function checkSteps(records: readonly StepRecord[], start: Start, size: number): void {
  checkUpdate(updateOf(records), size);
  const seen = new Set<number>();
  let { current } = start;
  records.forEach(({ visit, ready, current: next }, place) => {
    if (visit.index !== place || visit.node !== current || ready.node !== current) {
      throw new BadFile(`step ${place} is not the one that was to come`);
    }
    if (seen.has(visit.node)) {
      throw new BadFile(`node ${visit.node} is run twice`);
    }
    seen.add(visit.node);
    current = next;
  });
  const nodes = [current, ...start.skipped, ...start.ready.map(({ node }) => node)];
  if (nodes.some(node => node !== null && (node < 0 || node >= size))) {
    throw new Malformed(`nodes below ${size}`, nodes).within('start');
  }
}

function updateOf(records: readonly StepRecord[]): Parameters<typeof checkUpdate>[0] {
  return {
    revision: 0,
    status: 'paused',
    before: 0,
    position: records.length,
    recorded: records.length,
    total: records.length,
    earliest: 0,
    jumped: false,
    records,
    changes: [],
    breakpoints: [],
    breakpoint_list: [],
    logged: 0,
    within: null,
    error: '',
    modes: {
      grad: true,
      inference: false,
      anomaly: false,
      forward_level: -1,
      multithreading: true
    },
    stopped: null,
    nonfinite: true,
    names: [],
    ending: ''
  };
}
