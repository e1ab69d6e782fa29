/** What lives in the memory of the notebook, in words: those of the kernel's own text (`rendering/heap_words.py`). */
import type {
  Heap,
  HeapAlias,
  HeapCycle,
  HeapHolder,
  HeapKeeper,
  HeapStorage,
  HeapUse
} from '../protocol';
import * as format from './format';

export const USES: Readonly<Record<HeapUse, string>> = {
  parameter: 'parameters',
  gradient: 'gradients',
  optimizer: 'optimizer state',
  variable: 'variables',
  saved: 'saved for a backward',
  elsewhere: 'held elsewhere',
  garbage: 'held by cycles only'
};

export function totalText({ bytes, storages, nodes }: Heap): string {
  const held = `${format.bytes(bytes)} in ${format.count(storages, 'storage')}`;
  return `${held}, ${format.count(nodes, 'node')} of graphs`;
}

export function sharesText({ shares }: Heap): string {
  return shares.map(({ use, bytes }) => `${USES[use]} ${format.bytes(bytes)}`).join(', ');
}

const amount = (nodes: number, bytes: number): string =>
  `${format.count(nodes, 'node')} and ${format.bytes(bytes)}`;

/** "keeps 312 nodes and 48 MB alive", behind the name; where it is not told since when. */
export function keepsText(keeper: HeapKeeper): string {
  const { nodes, bytes, shared_nodes, shared_bytes, shared_with } = keeper;
  const shared = amount(shared_nodes, shared_bytes);
  const others = shared_with.length > 0 ? shared_with.join(', ') : 'something else';
  if (nodes === 0) {
    return `keeps ${shared} alive together with ${others}`;
  }
  const more = shared_nodes > 0 ? `, and ${shared} more together with ${others}` : '';
  return `keeps ${amount(nodes, bytes)} alive${more}`;
}

export function cycleText({ path, nodes, bytes, held }: HeapCycle): string {
  const what = `${path.join(' → ')}: ${amount(nodes, bytes)}`;
  return held.length > 0
    ? `${what}; only the collector frees it, once ${held.join(', ')} ${held.length === 1 ? 'is' : 'are'} gone`
    : `${what}; nothing leads there any more, gc.collect() frees it`;
}

/** "[3, 4] float32 v2". */
export function storageText({ shape, dtype, device, version }: HeapStorage): string {
  const parts = [format.shape(shape), dtype, device === 'cpu' ? '' : device];
  return [...parts, version === null ? '' : `v${version}`].filter(Boolean).join(' ');
}

export function holderText({ kind, text, graphs }: HeapHolder): string {
  const said = kind === 'numpy' ? `numpy array ${text}` : text;
  return graphs.length > 0 ? `${said} (graph of ${graphs.join(', ')})` : said;
}

export function aliasText({ name, relation, shape, dtype, version, maker }: HeapAlias): string {
  const counter = version === null ? '' : ` v${version}`;
  const by = maker === '' ? '' : ` by ${maker}`;
  return `${name === '' ? 'without a name' : name}: ${relation} ${format.shape(shape)} ${dtype}${counter}${by}`;
}

/** An alias with those that are under it. */
export interface Branch {
  readonly alias: HeapAlias;
  readonly under: Branch[];
}

/** What does not stand under one that comes before it begins a tree of its own: nothing may go round. */
export function treeOf(aliases: readonly HeapAlias[]): Branch[] {
  const branches: Branch[] = aliases.map(alias => ({ alias, under: [] }));
  const roots: Branch[] = [];
  branches.forEach((branch, at) => {
    const { of } = branch.alias;
    const above = of !== null && of >= 0 && of < at ? branches[of] : undefined;
    (above?.under ?? roots).push(branch);
  });
  return roots;
}
