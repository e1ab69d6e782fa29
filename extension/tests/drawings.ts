/** Small drawings made by hand, for tests of what draws them. */
import type {
  Drawing,
  DrawnBox,
  DrawnFrame,
  DrawnLine,
  Group,
  Node,
  NodeRun,
  Saved,
  Shown,
  Standing,
  Tally
} from '../src/protocol';

export function node(id: number, fields: Partial<Node> = {}): Node {
  return {
    id,
    name: 'MulBackward0',
    kind: 'op',
    sequence_nr: 1000 - id,
    topological_nr: 1000 - id,
    edges: [],
    outputs: [{ shape: [8, 4], dtype: 'float32', device: 'cpu', batches: [] }],
    saved: [],
    formulas: [],
    scope: [],
    place: null,
    label: '',
    hooks: [],
    ...fields
  };
}

export function saved(name: string, fields: Partial<Saved> = {}): Saved {
  return {
    name,
    state: 'alive',
    shape: [8, 4],
    dtype: 'float32',
    bytes: 128,
    storage: null,
    version_saved: 0,
    version_now: 0,
    culprit: null,
    value: '',
    tangents: [],
    ...fields
  };
}

export function box(key: string, fields: Partial<DrawnBox> = {}): DrawnBox {
  return {
    key,
    kind: 'node',
    frame: null,
    x: 0,
    y: 0,
    width: 140,
    height: 52,
    node: null,
    user: null,
    edge: 0,
    use: 1,
    uses: 1,
    slot: 0,
    group: null,
    cell: 0,
    cells: 0,
    first: 0,
    last: 0,
    title: '',
    ports: [],
    collective: null,
    ...fields
  };
}

export function line(source: number, target: number, fields: Partial<DrawnLine> = {}): DrawnLine {
  return {
    key: `e${source}_${target}`,
    source,
    target,
    points: [0, 0, 0, 0, 0, 0, 0, 0],
    edges: 1,
    node: null,
    edge: 0,
    slot: 0,
    name: '',
    ...fields
  };
}

export function frame(group: number, fields: Partial<DrawnFrame> = {}): DrawnFrame {
  return {
    group,
    parent: null,
    x: 0,
    y: 0,
    width: 300,
    height: 200,
    cell: null,
    title_left: 12,
    title_room: 276,
    curve_left: 0,
    curve_room: 0,
    ...fields
  };
}

export function group(id: number, first: number, last: number, fields: Partial<Group> = {}): Group {
  return {
    id,
    parent: null,
    kind: 'module',
    title: `group ${id}`,
    first,
    last,
    place: null,
    cells: 0,
    ...fields
  };
}

export function tally(nodes: number, fields: Partial<Tally> = {}): Tally {
  return {
    nodes,
    done: 0,
    ready: 0,
    captured: 0,
    skipped: 0,
    error: 0,
    nonfinite: 0,
    stale: 0,
    norms: [],
    firsts: [],
    ...fields
  };
}

export const WAITING: NodeRun = {
  state: 'waiting',
  delivered: 0,
  needed: 1,
  order: null,
  reason: '',
  grad_norm: null,
  tangents: []
};

export function drawing(fields: Partial<Drawing> = {}): Drawing {
  return {
    digest: 'd',
    width: 600,
    height: 400,
    boxes: [],
    lines: [],
    frames: [],
    groups: [],
    nodes: [],
    collectives: [],
    ...fields
  };
}

/** How a session is told of that is to be drawn so, before its first step. */
export function shown(drawn: Drawing, fields: Partial<Standing> = {}): Shown {
  const standing: Standing = {
    status: 'paused',
    position: 0,
    recorded: 0,
    total: 100,
    current: null,
    earliest: 0,
    error: '',
    stopped: null,
    nonfinite: true,
    logged: 0,
    breakpoint_list: [],
    branches: [],
    within: null,
    grows: false,
    recomputes: false,
    one_way: false,
    can_change: true,
    modes: {
      grad: true,
      inference: false,
      anomaly: false,
      forward_level: 0,
      multithreading: true
    },
    breakpoints: [],
    counts: [100, 0, 0, 0, 0, 0, 0],
    nodes: drawn.nodes.map(() => WAITING),
    boxes: drawn.boxes.map(({ kind, first, last, cells }) =>
      kind === 'group' || kind === 'cells'
        ? tally(last - first, { norms: nothing(cells), firsts: nothing(cells) })
        : null
    ),
    frames: drawn.frames.map(({ group: id }) => {
      const { first = 0, last = 0, cells = 0 } = drawn.groups.find(each => each.id === id) ?? {};
      return tally(last - first, { norms: nothing(cells), firsts: nothing(cells) });
    }),
    flows: [],
    ready: [],
    buffers: [],
    reached: [],
    saved: [],
    storages: [],
    quiet: 0,
    stale: 0,
    names: [],
    ending: '',
    ...fields
  };
  return {
    type: 'shown',
    request: 1,
    session: 's1',
    revision: 1,
    title: 'loss',
    cell: 'In [2]',
    nodes: 100,
    leaves: 10,
    truncated: 0,
    drawing: drawn,
    standing
  };
}

function nothing(count: number): null[] {
  return Array.from({ length: count }, () => null);
}
