/** Graphs for tests of the picture: a small MLP, and generated ones of any size. */
import type { Edge, Graph, Node, Place, Saved, Storage } from '../src/protocol';

export interface Spec {
  readonly name: string;
  readonly edges: readonly (Edge | number | null)[];
  readonly shape: readonly number[];
  readonly label?: string;
  readonly scope?: readonly string[];
  readonly saved?: readonly Saved[];
  readonly math?: readonly (readonly [string, string, string])[];
  readonly place?: Place;
  readonly hooks?: readonly string[];
}

/** Nodes are given in the order of their ids; edges may point anywhere. */
export function graphOf(
  specs: readonly Spec[],
  roots: readonly (readonly [number, number])[],
  storages: readonly Storage[] = [],
  title = ''
): Graph {
  const nodes = specs.map((spec, id): Node => {
    const leaf = spec.name === 'AccumulateGrad';
    return {
      id,
      name: spec.name,
      kind: leaf ? 'leaf' : spec.name.startsWith('My') ? 'function' : 'op',
      sequence_nr: leaf ? 2 ** 64 : specs.length - id,
      topological_nr: leaf ? 0 : specs.length - id,
      edges: spec.edges.map(edge =>
        edge === null || typeof edge === 'number' ? { node: edge, input_nr: 0, name: '' } : edge
      ),
      outputs: [{ shape: spec.shape, dtype: 'float32', device: 'cpu' }],
      saved: spec.saved ?? [],
      formulas: (spec.math ?? []).map(([input, math, source]) => ({ input, math, source })),
      scope: spec.scope ?? [],
      place: spec.place ?? null,
      label: spec.label ?? '',
      hooks: spec.hooks ?? []
    };
  });
  return { nodes, roots, storages, title, truncated: 0 };
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
    ...fields
  };
}

const cell = (n: number, line: number, text: string): Place => ({
  file: `/tmp/ipykernel_1/${n}.py`,
  line,
  function: 'forward',
  cell: `In [${n}]`,
  text
});

const edge = (node: number | null, name: string): Edge => ({ node, input_nr: 0, name });

/** A two-layer perceptron whose second weight was written in place after it was saved. */
export function mlp(): Graph {
  const write = {
    version: 1,
    clock: 40,
    op: 'mul_',
    place: { ...cell(5, 2, '    w2.data.mul_(0.5)'), function: '<module>' },
    alias: 'view of w2'
  };
  const fc1 = ['mlp', 'fc1'];
  const fc2 = ['mlp', 'fc2'];
  const line1 = cell(3, 4, '    return x @ self.weight.T + self.bias');
  const storages: Storage[] = [
    {
      id: 1,
      label: 'w2',
      shape: [1, 16],
      dtype: 'float32',
      bytes: 64,
      version: 1,
      writes: [write],
      writes_dropped: 0,
      saves: [{ node: 2, name: 'mat2', version: 0, clock: 22, state: 'stale' }]
    },
    {
      id: 2,
      label: 'w1',
      shape: [16, 8],
      dtype: 'float32',
      bytes: 512,
      version: 0,
      writes: [],
      writes_dropped: 0,
      saves: []
    },
    {
      id: 3,
      label: 'x',
      shape: [32, 8],
      dtype: 'float32',
      bytes: 1024,
      version: 2,
      writes: [
        { ...write, version: 1, clock: 2, op: 'add_', alias: 'x', place: cell(2, 1, 'x.add_(1)') },
        {
          ...write,
          version: 2,
          clock: 4,
          op: 'sub_',
          alias: 'x',
          place: cell(2, 2, 'x -= x.mean()')
        }
      ],
      writes_dropped: 0,
      saves: [{ node: 6, name: 'mat1', version: 2, clock: 10, state: 'alive' }]
    }
  ];
  const specs: Spec[] = [
    {
      name: 'MeanBackward0',
      edges: [edge(1, 'self')],
      shape: [],
      saved: [saved('self_sizes', { value: '[32, 1]', shape: [], dtype: '', bytes: 0 })],
      math: [['self', '∂L/∂self = g / n', 'grad.expand(self_meta.shape) / self_meta.numel']],
      place: { ...cell(4, 3, 'loss = ((model(x) - y) ** 2).mean()'), function: '<module>' }
    },
    {
      name: 'PowBackward0',
      edges: [edge(2, 'self')],
      shape: [32, 1],
      saved: [
        saved('self', { shape: [32, 1], storage: 9 }),
        saved('exponent', { value: '2', dtype: '', shape: [], bytes: 0 })
      ],
      math: [['self', '∂L/∂self = g · p · xᵖ⁻¹', 'grad * exponent * self ** (exponent - 1)']],
      place: { ...cell(4, 3, 'loss = ((model(x) - y) ** 2).mean()'), function: '<module>' },
      hooks: ['clip']
    },
    {
      name: 'AddmmBackward0',
      edges: [edge(3, 'input'), edge(5, 'mat1'), edge(4, 'mat2')],
      shape: [32, 1],
      scope: fc2,
      saved: [
        saved('mat1', { shape: [32, 16], bytes: 2048, storage: 8 }),
        saved('mat2', {
          shape: [16, 1],
          bytes: 64,
          storage: 1,
          version_now: 1,
          state: 'stale',
          culprit: write
        })
      ],
      math: [
        ['input', '∂L/∂input = β · g', 'grad'],
        ['mat1', '∂L/∂mat1 = α · g mat2ᵀ', 'grad @ mat2.T'],
        ['mat2', '∂L/∂mat2 = α · mat1ᵀ g', 'mat1.T @ grad']
      ],
      place: line1
    },
    { name: 'AccumulateGrad', label: 'b2', edges: [], shape: [1] },
    {
      name: 'TBackward0',
      edges: [edge(9, 'self')],
      shape: [16, 1],
      scope: fc2,
      place: line1,
      math: [['self', '∂L/∂self = gᵀ', 'grad.T']]
    },
    {
      name: 'TanhBackward0',
      edges: [edge(6, 'self')],
      shape: [32, 16],
      scope: ['mlp'],
      saved: [saved('result', { shape: [32, 16], bytes: 2048, storage: 8 })],
      math: [['self', '∂L/∂self = g · (1 − result²)', 'grad * (1 - result * result)']],
      place: cell(3, 9, '        return self.fc2(self.fc1(x).tanh())')
    },
    {
      name: 'AddmmBackward0',
      edges: [edge(7, 'input'), edge(null, 'mat1'), edge(8, 'mat2')],
      shape: [32, 16],
      scope: fc1,
      saved: [
        saved('mat1', { shape: [32, 8], bytes: 1024, storage: 3, version_saved: 2, version_now: 2 })
      ],
      math: [
        ['input', '∂L/∂input = β · g', 'grad'],
        ['mat2', '∂L/∂mat2 = α · mat1ᵀ g', 'mat1.T @ grad']
      ],
      place: line1
    },
    { name: 'AccumulateGrad', label: 'b1', edges: [], shape: [16] },
    { name: 'TBackward0', edges: [edge(10, 'self')], shape: [8, 16], scope: fc1, place: line1 },
    { name: 'AccumulateGrad', label: 'w2', edges: [], shape: [1, 16] },
    { name: 'AccumulateGrad', label: 'w1', edges: [], shape: [16, 8] }
  ];
  return graphOf(specs, [[0, 0]], storages, 'loss');
}

/** A chain of transformer-like blocks with residual edges and shared weights, about `size` nodes. */
export function blocks(size: number, scoped = true): Graph {
  const specs: Spec[] = [{ name: 'SumBackward0', edges: [], shape: [] }];
  const open: { node: number }[] = [{ node: 0 }];
  const attach = (spec: Spec, ...users: number[]): number => {
    const id = specs.push(spec) - 1;
    for (const user of users) {
      const old = specs[user] as Spec;
      specs[user] = { ...old, edges: [...old.edges, id] };
    }
    return id;
  };
  const weights = ['wq', 'wk', 'wv', 'wo', 'w1', 'w2'];
  const shared = attach({ name: 'AccumulateGrad', label: 'scale', edges: [], shape: [] });
  let top = (open[0] as { node: number }).node;
  for (let block = 0; specs.length < size; block++) {
    const scope = (...parts: string[]): string[] =>
      scoped ? ['model', `block${block}`, ...parts] : [];
    const node = (name: string, users: number[], ...parts: string[]): number =>
      attach(
        {
          name,
          edges: [],
          shape: [16, 32],
          scope: scope(...parts),
          saved: [saved('self'), saved('other')]
        },
        ...users
      );
    const leaf = (user: number, label: string): number =>
      attach(
        { name: 'AccumulateGrad', label: `${label}.${block}`, edges: [], shape: [32, 32] },
        user
      );
    const add = node('AddBackward0', [top]);
    const out = node('AddmmBackward0', [add], 'mlp');
    leaf(out, weights[5] as string);
    const act = node('GeluBackward0', [out], 'mlp');
    const inner = node('AddmmBackward0', [act], 'mlp');
    leaf(inner, weights[4] as string);
    const norm = node('NativeLayerNormBackward0', [inner, add], 'ln');
    const attention = node('MmBackward0', [norm], 'attn');
    leaf(attention, weights[3] as string);
    const soft = node('SoftmaxBackward0', [attention], 'attn');
    const scores = node('MulBackward0', [soft], 'attn');
    specs[scores] = {
      ...(specs[scores] as Spec),
      edges: [...(specs[scores] as Spec).edges, shared]
    };
    const q = node('MmBackward0', [scores], 'attn');
    const k = node('MmBackward0', [scores], 'attn');
    leaf(q, 'wq');
    leaf(k, 'wk');
    top = node('NativeLayerNormBackward0', [q, k], 'attn');
  }
  attach({ name: 'AccumulateGrad', label: 'x', edges: [], shape: [16, 32] }, top);
  return graphOf(
    specs,
    [[0, 0]],
    [],
    scoped ? `transformer of ${specs.length}` : `chain of ${specs.length}`
  );
}
