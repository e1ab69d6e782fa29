/**
 * A kernel in memory: one session over a given graph, answering like `vizgrad.widgets.controller`.
 *
 * It runs no arithmetic. Nodes become ready when all gradients that can reach them have arrived, the
 * queue is sorted by sequence number, and gradients have made-up but repeatable values: enough for
 * everything a view must show. Messages go through JSON, as they do on a comm.
 */
import type {
  Answer,
  Graph,
  Inspection,
  NodeRun,
  Request,
  Run,
  SavedRun,
  TensorSummary,
  Visit
} from '../src/protocol';
import type { Port, PortStatus } from '../src/store';

export class FakeKernel implements Port {
  readonly requests: Request[] = [];
  revision = 1;
  /** Milliseconds until an answer; null: answers only when `flush` is called. */
  delay: number | null = 0;
  private position = 0;
  private recorded = 0;
  private closed = false;
  private readonly order: number[];
  private readonly breakpoints = new Set<number>();
  private readonly listeners = new Set<(message: unknown) => void>();
  private readonly watchers = new Set<(status: PortStatus) => void>();
  private readonly queue: Answer[] = [];

  constructor(
    readonly graph: Graph,
    readonly session = 's1'
  ) {
    this.order = executionOrder(graph);
  }

  send(request: Request): void {
    this.requests.push(JSON.parse(JSON.stringify(request)) as Request);
    const answers = this.answer(request);
    if (this.delay === null) {
      this.queue.push(...answers);
    } else {
      setTimeout(() => answers.forEach(answer => this.emit(answer)), this.delay);
    }
  }

  onMessage(callback: (message: unknown) => void): () => void {
    this.listeners.add(callback);
    return () => this.listeners.delete(callback);
  }

  onStatus(callback: (status: PortStatus) => void): () => void {
    this.watchers.add(callback);
    callback({ state: 'open' });
    return () => this.watchers.delete(callback);
  }

  become(status: PortStatus): void {
    this.watchers.forEach(watcher => watcher(status));
  }

  /** Deliver what was held back. */
  flush(): void {
    for (const answer of this.queue.splice(0)) {
      this.emit(answer);
    }
  }

  /** Deliver anything at all. */
  emit(message: unknown): void {
    const copy: unknown = JSON.parse(JSON.stringify(message, plain));
    this.listeners.forEach(listener => listener(copy));
  }

  private answer(request: Request): Answer[] {
    const { total } = this;
    switch (request.type) {
      case 'list_sessions':
        return [this.sessions(request.request)];
      case 'attach':
      case 'get_snapshot':
        return [this.snapshot(request.request)];
      case 'step':
        return this.go(request.request, this.position + request.count);
      case 'step_back':
        return this.go(request.request, this.position - request.count);
      case 'seek':
        return this.go(request.request, request.position);
      case 'restart':
        return this.go(request.request, 0);
      case 'run_to':
        return this.go(request.request, this.order.indexOf(request.node));
      case 'continue': {
        const stop = this.order.findIndex((n, i) => i > this.position && this.breakpoints.has(n));
        return this.go(request.request, stop < 0 ? total : stop);
      }
      case 'set_breakpoint':
        this.breakpoints[request.enabled ? 'add' : 'delete'](request.node);
        return this.go(request.request, this.position);
      case 'stop':
        this.closed = true;
        return [
          { type: 'closed', session: this.session, revision: ++this.revision },
          this.state(request.request)
        ];
      case 'inspect':
        return [this.inspection(request.request, request.node)];
    }
  }

  private get total(): number {
    return this.order.length;
  }

  private go(request: number, position: number): Answer[] {
    if (position < 0) {
      return [
        {
          type: 'failed',
          request,
          message: 'There is no such node in this run.',
          session: this.session
        }
      ];
    }
    this.position = Math.min(position, this.total);
    this.recorded = Math.max(this.recorded, this.position);
    this.revision++;
    return [this.state(request)];
  }

  sessions(request: number): Answer {
    const { session, position, total } = this;
    const info = { session, title: this.graph.title, status: this.run().status, position, total };
    return {
      type: 'sessions',
      request,
      sessions: [info],
      vizgrad_version: '0',
      protocol_version: 1
    };
  }

  snapshot(request: number): Answer {
    const { session, revision, graph } = this;
    return { type: 'snapshot', request, session, revision, graph, run: this.run() };
  }

  state(request: number): Answer & { type: 'state' } {
    const { session, revision } = this;
    return { type: 'state', request, session, revision, run: this.run() };
  }

  run(): Run {
    const { graph, position, total } = this;
    const done = new Map(this.order.slice(0, position).map((node, i) => [node, i]));
    const needed = graph.nodes.map(() => 0);
    const delivered = graph.nodes.map(() => 0);
    const edges: Run['edges'][number][] = [];
    for (const node of graph.nodes) {
      node.edges.forEach((edge, i) => {
        if (edge.node === null) {
          return;
        }
        needed[edge.node] = (needed[edge.node] ?? 0) + 1;
        if (done.has(node.id)) {
          delivered[edge.node] = (delivered[edge.node] ?? 0) + 1;
          edges.push({ node: node.id, edge: i, norm: i === 2 ? null : norm(node.id + i) });
        }
      });
    }
    const current = position < total && !this.closed ? (this.order[position] as number) : null;
    const roots = new Set(graph.roots.map(([node]) => node));
    const isReady = (id: number): boolean =>
      !done.has(id) && (needed[id] === delivered[id] || (roots.has(id) && needed[id] === 0));
    const nodes = graph.nodes.map(({ id }): NodeRun => {
      const order = done.get(id) ?? null;
      const state =
        order !== null ? 'done' : id === current ? 'current' : isReady(id) ? 'ready' : 'waiting';
      return {
        state,
        delivered: delivered[id] ?? 0,
        needed: needed[id] ?? 0,
        order,
        reason: '',
        grad_norm: order === null ? null : norm(id)
      };
    });
    const ready = graph.nodes
      .filter(node => isReady(node.id))
      .sort((a, b) => b.sequence_nr - a.sequence_nr || a.id - b.id)
      .map(node => ({ node: node.id, priority: node.sequence_nr }));
    const buffers = graph.nodes
      .filter(({ id }) => !done.has(id) && (delivered[id] ?? 0) > 0)
      .map(({ id }) => ({ node: id, input_nr: 0, value: this.summary(id) }));
    const freed: SavedRun[] = graph.nodes
      .filter(({ id }) => done.has(id))
      .flatMap(node =>
        node.saved.map(({ name, version_now }) => ({
          node: node.id,
          name,
          state: 'freed' as const,
          version_now,
          culprit: null
        }))
      );
    return {
      status: this.closed ? 'closed' : position === total ? 'finished' : 'paused',
      position,
      recorded: this.recorded,
      total,
      current,
      nodes,
      ready,
      buffers,
      edges,
      saved: freed,
      breakpoints: [...this.breakpoints],
      earliest: 0,
      error: '',
      modes: {
        grad: true,
        inference: false,
        anomaly: false,
        forward_level: -1,
        multithreading: true
      }
    };
  }

  private inspection(request: number, id: number): Inspection {
    const node = this.graph.nodes[id];
    if (!node) {
      throw new Error('no such node');
    }
    const index = this.order.indexOf(id);
    const done = index >= 0 && index < this.position;
    const incoming = this.summary(id);
    const leaf = node.kind === 'leaf';
    const visit: Visit = {
      index,
      node: id,
      incoming: [incoming],
      routed: node.edges.map((edge, i) => ({
        edge,
        computed: edge.node === null ? null : this.summary(edge.node, i),
        routed: edge.node === null ? null : this.summary(edge.node),
        note:
          i === 0 && edge.node !== null && this.graph.nodes[edge.node]?.label.startsWith('b')
            ? 'summed over dim 0, which was broadcast'
            : ''
      })),
      stages: [
        ...(node.hooks.length
          ? [
              {
                stage: 'prehooks' as const,
                detail: node.hooks.join(', '),
                before: incoming,
                after: this.summary(id, 3)
              }
            ]
          : []),
        {
          stage: 'formula',
          detail: `${node.edges.length} gradients computed`,
          before: null,
          after: null
        },
        {
          stage: 'release',
          detail: `${node.saved.length} saved values released`,
          before: null,
          after: null
        },
        { stage: 'deliver', detail: `${node.edges.length} edges`, before: null, after: null }
      ],
      accumulate: leaf
        ? {
            decision: 'taken',
            reason: '.grad was None and nobody else owns the array',
            before: null,
            after: incoming
          }
        : null,
      released_bytes: node.saved.reduce((sum, value) => sum + value.bytes, 0),
      seconds: 0.000042,
      error: ''
    };
    const arrived = this.run().buffers.find(buffer => buffer.node === id);
    return {
      type: 'inspection',
      request,
      session: this.session,
      revision: this.revision,
      node,
      visit: done ? visit : null,
      buffers: [arrived?.value ?? null],
      grad: leaf && done ? incoming : null
    };
  }

  private summary(id: number, salt = 0): TensorSummary {
    const shape = this.graph.nodes[id]?.outputs[0]?.shape ?? [];
    return summarize(shape, id + salt);
  }
}

/** Roots first, then whoever has all its gradients, the latest recorded first. */
function executionOrder(graph: Graph): number[] {
  const waiting = graph.nodes.map(() => 0);
  for (const node of graph.nodes) {
    for (const edge of node.edges) {
      if (edge.node !== null) {
        waiting[edge.node] = (waiting[edge.node] ?? 0) + 1;
      }
    }
  }
  const ready = graph.roots.map(([node]) => node).filter(node => waiting[node] === 0);
  const order: number[] = [];
  while (ready.length > 0) {
    ready.sort((a, b) => sequence(graph, b) - sequence(graph, a) || a - b);
    const id = ready.shift() as number;
    order.push(id);
    for (const edge of graph.nodes[id]?.edges ?? []) {
      if (edge.node !== null) {
        waiting[edge.node] = (waiting[edge.node] ?? 0) - 1;
        if (waiting[edge.node] === 0) {
          ready.push(edge.node);
        }
      }
    }
  }
  return order;
}

function sequence(graph: Graph, id: number): number {
  return graph.nodes[id]?.sequence_nr ?? 0;
}

function norm(seed: number): number {
  return Number((10 ** (Math.sin(seed * 1.7) * 2 - 1)).toPrecision(4));
}

/** A summary of made-up values that look like a gradient. */
export function summarize(shape: readonly number[], seed: number): TensorSummary {
  const size = shape.reduce((a, b) => a * b, 1);
  const scale = norm(seed) / Math.sqrt(Math.max(size, 1));
  const value = (i: number): number =>
    scale * (Math.sin(i * 12.9898 + seed) + Math.sin(i * 0.37) * 0.8);
  const all = Array.from({ length: Math.min(size, 4096) }, (_, i) => value(i));
  const min = Math.min(...all);
  const max = Math.max(...all);
  const bins = new Array<number>(16).fill(0);
  for (const v of all) {
    const bin = Math.min(15, Math.floor(((v - min) / (max - min || 1)) * 16));
    bins[bin] = (bins[bin] ?? 0) + 1;
  }
  const rows = Math.min(shape.length > 1 ? (shape[0] ?? 1) : 1, 24);
  const columns = Math.min(shape[shape.length - 1] ?? 1, 24);
  return {
    shape,
    dtype: 'float32',
    device: 'cpu',
    bytes: 4 * size,
    norm: norm(seed),
    min,
    max,
    mean: all.reduce((a, b) => a + b, 0) / all.length,
    zeros: 0,
    nans: 0,
    infs: 0,
    histogram: bins,
    heat: Array.from({ length: rows }, (_, y) =>
      Array.from({ length: columns }, (_, x) => value(y * columns + x))
    ),
    values: size <= 64 ? all : null,
    layout: 'strided',
    nnz: null
  };
}

/** Non-finite floats travel as strings. */
function plain(_: string, value: unknown): unknown {
  if (typeof value !== 'number' || Number.isFinite(value)) {
    return value;
  }
  return Number.isNaN(value) ? 'nan' : value > 0 ? 'inf' : '-inf';
}
