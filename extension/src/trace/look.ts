/** What is to be seen of the file of a trace where so many steps are done. */
import type {
  Branch,
  GetPart,
  Inspection,
  Lane,
  Memory,
  Message,
  Name,
  TensorSummary,
  VisitLine
} from '../protocol';
import type { TraceFile } from './file';
import { MemoryCurve } from './memoryCurve';
import { partOf } from './part';
import { BadFile } from './zip';

const MOST_NAMES = 200;
const MOST_USERS = 6;

/** An answer, without what every answer has. */
type Told<T> = Omit<T, 'type' | 'request' | 'session' | 'revision'>;

export class TraceLook {
  /** By node: the step that ran it. */
  readonly orders: ReadonlyMap<number, number>;
  private readonly skipped: ReadonlySet<number>;
  private curve: MemoryCurve | null = null;

  constructor(private readonly file: TraceFile) {
    this.orders = new Map(file.records.map(({ visit }, place) => [visit.node, place]));
    this.skipped = new Set(file.start.skipped);
  }

  memory(position: number): Told<Memory> {
    this.curve ??= new MemoryCurve(this.file.view.holdings, this.file.records);
    const { peak, points } = this.curve;
    const largest = this.curve.largest(position);
    const names = this.names(largest.holders.map(({ node }) => node));
    return { held: this.curve.at(position), peak, curve: points, ...largest, names };
  }

  /** This run and those that were laid beside it, if any were; this alone, if it was changed. */
  branches(position: number): readonly Branch[] {
    const { records, trace, view } = this.file;
    const { edits } = trace;
    const none = { parent: '', left: 0, edits: [] };
    const others = view.beside.map(({ name, recorded }) => ({
      ...none,
      name,
      recorded,
      position: recorded,
      current: false,
      trace: true
    }));
    const own = {
      parent: '',
      left: 0,
      edits,
      name: 'original',
      recorded: records.length,
      position,
      current: true,
      trace: false
    };
    return others.length > 0 || edits.length > 0 ? [own, ...others] : [];
  }

  /** That within a node, else that of second order. */
  lane(node: number | null): Told<Lane> {
    const { lanes } = this.file.view;
    const found = lanes.find(lane => lane.node === node) ?? lanes.find(lane => lane.node === null);
    const nothing = { node: null, made: [], at: [], drawing: null, left_out: 0 };
    return { ...(found ?? nothing), can_debug: false };
  }

  inspection(node: number, position: number): Omit<Inspection, 'request' | 'session' | 'revision'> {
    const { trace, view, records } = this.file;
    const { graph } = trace;
    const data = graph.nodes[node];
    if (!data) {
      throw new RangeError(`there is no node ${node}`);
    }
    const order = this.orders.get(node);
    const isDone = order !== undefined && order < position;
    const record = order === undefined ? undefined : records[order];
    const gone = isDone ? (record?.released ?? []) : [];
    const kept = new Set(data.saved.map(({ storage }) => storage));
    const told = record?.visit.accumulate;
    const users = this.isLeaf(node)
      ? graph.nodes
          .filter(({ edges }) => edges.some(edge => edge.node === node))
          .map(({ id }) => id)
      : [];
    return {
      type: 'inspection',
      node: {
        ...data,
        saved: data.saved.map(saved =>
          gone.includes(saved.name) ? { ...saved, state: 'freed' } : saved
        )
      },
      visit: isDone ? (record?.visit ?? null) : null,
      buffers: data.outputs.map((_, slot) => this.waitingAt(node, slot, position)),
      grad: (isDone ? told?.after : told?.before) ?? null,
      storages: graph.storages.filter(({ id }) => kept.has(id)),
      groups: this.around(node),
      names: this.names(
        [...data.edges.flatMap(edge => edge.node ?? []), ...users].sort((a, b) => a - b)
      ),
      maths: view.maths.find(each => each.node === node)?.maths ?? [],
      unnoted: '',
      leaf: this.isLeaf(node)
        ? {
            users: users
              .slice(0, MOST_USERS)
              .map(user => ({ node: user, place: graph.nodes[user]?.place ?? null })),
            used: users.length,
            made: null,
            written: null,
            unnoted: ''
          }
        : null
    };
  }

  private isLeaf(node: number): boolean {
    return node >= this.file.trace.graph.nodes.length - this.file.view.leaves;
  }

  /** The groups that a node is in; of a leaf those of the node that uses it first. */
  private around(node: number): readonly number[] {
    const { nodes, groups } = this.file.trace.graph;
    const user = nodes.find(({ edges }) => edges.some(edge => edge.node === node));
    const at = this.isLeaf(node) ? (user?.id ?? -1) : node;
    return groups.filter(({ first, last }) => first <= at && at < last).map(({ id }) => id);
  }

  /** What has arrived at a slot and is not used yet. */
  private waitingAt(node: number, slot: number, position: number): TensorSummary | null {
    const { start, records } = this.file;
    let value =
      start.buffers.find(each => each.node === node && each.input_nr === slot)?.value ?? null;
    for (const { visit, arrived } of records.slice(0, position)) {
      value = visit.node === node ? null : value;
      for (const { node: target, input_nr, after } of arrived) {
        value = target === node && input_nr === slot ? after : value;
      }
    }
    return value;
  }

  part(
    request: GetPart,
    position: number
  ): Pick<Message & { type: 'array_part' }, 'of' | 'part' | 'gone'> {
    const { of } = request;
    const isDone = (this.orders.get(of.node) ?? Infinity) < position;
    const kind = of.kind === 'grad' ? (isDone ? 'grad_after' : 'grad_before') : of.kind;
    if (kind === 'saved') {
      return { of, part: null, gone: 'values that nodes saved are not in a trace, gradients are' };
    }
    try {
      const array = kind === 'waiting' || !isDone ? undefined : this.file.array({ ...of, kind });
      return array
        ? { of, part: partOf(array, request), gone: '' }
        : {
            of,
            part: null,
            gone: 'not in this file: save the trace with full=True to keep every gradient'
          };
    } catch (error) {
      if (!(error instanceof BadFile)) {
        throw error;
      }
      return { of, part: null, gone: error.message };
    }
  }

  names(nodes: Iterable<number>): Name[] {
    const { trace, start } = this.file;
    return [...new Set(nodes)].flatMap(node => {
      const data = trace.graph.nodes[node];
      const needed = this.skipped.has(node) ? 0 : (start.needed[node] ?? 0);
      return data ? { node, name: data.name, label: data.label, needed } : [];
    });
  }

  /** Nodes in which a text occurs, as `vizgrad/debugger/session/breakpoints/node_selectors.py` finds them. */
  find(query: string): { total: number; names: readonly Name[] } {
    const parts = query.trim().toLowerCase().split('*');
    const found = this.file.trace.graph.nodes.filter(({ name, label, scope, place }) => {
      const line = place ? `${place.cell ?? place.file}:${place.line}` : '';
      return [name, label, scope.join('.'), line].some(each => contains(each.toLowerCase(), parts));
    });
    const nodes = parts.some(Boolean) ? found.map(({ id }) => id) : [];
    return { total: nodes.length, names: this.names(nodes.slice(0, MOST_NAMES)) };
  }

  visits(first: number, count: number, position: number): readonly VisitLine[] {
    return this.file.records
      .slice(first, first + count)
      .map(({ visit: { index, node, incoming } }) => ({
        index,
        node,
        norm: index < position ? (incoming[0]?.norm ?? null) : null
      }));
  }
}

/** All parts, in this order, without overlap. */
function contains(text: string, parts: readonly string[]): boolean {
  let at = 0;
  for (const part of parts) {
    const found = text.indexOf(part, at);
    if (found < 0) {
      return false;
    }
    at = found + part.length;
  }
  return true;
}
