/** What lives in the memory of the notebook, in words: those of the kernel's own text (`debugger/drawing/heap_picture.py`). */
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

/** "keeps 312 nodes (89 kB) and 48 MB of tensors", behind the names; where it is not told since when. */
export function keepsText(keeper: HeapKeeper): string {
  const { names, names_more, nodes, node_bytes, bytes } = keeper;
  const size = `${format.count(nodes, 'node')} (${format.bytes(node_bytes)})`;
  const amount = `${size} and ${format.bytes(bytes)} of tensors`;
  const more = names_more > 0 ? `and ${names_more.toLocaleString('en')} more ` : '';
  return names.length > 1 ? `${more}keep the same ${amount}` : `keeps ${amount}`;
}

/** Behind that: "; the open session of loss keeps them, too, until closed". */
export function sessionsText({ names, sessions }: HeapKeeper): string {
  if (sessions.length === 0) {
    return '';
  }
  const several = sessions.length > 1;
  const who = `the open session${several ? 's' : ''} of ${sessions.join(', ')}`;
  return names.length === 0 ? who : `; ${who} keep${several ? '' : 's'} them, too, until closed`;
}

export function cycleText({ path, nodes, bytes, held }: HeapCycle): string {
  const what = `${path.join(' → ')}: ${amount(nodes, bytes)}`;
  return held.length > 0
    ? `${what}; only the garbage collector frees it, after ${held.join(', ')} ${held.length === 1 ? 'is' : 'are'} deleted`
    : `${what}; unreachable, gc.collect() frees it`;
}

/** Storages of which the same is told (each turn of a loop has saved one) together, the most bytes first. */
export function alike(held: readonly HeapStorage[]): HeapStorage[][] {
  const found = new Map<string, HeapStorage[]>();
  for (const storage of held) {
    const { name, use, bytes, shape, dtype, device, holders, holders_more } = storage;
    const told = JSON.stringify([name, use, bytes, shape, dtype, device, holders, holders_more]);
    const group = found.get(told);
    if (group) {
      group.push(storage);
    } else {
      found.set(told, [storage]);
    }
  }
  return [...found.values()].sort((a, b) => bytesOf(b) - bytesOf(a));
}

export function bytesOf(group: readonly HeapStorage[]): number {
  return group.reduce((sum, { bytes }) => sum + bytes, 0);
}

/** Rows that hold less than this part of all are one row; so many are rows of their own in any case. */
const SMALL = 0.01;
const FEWEST_ROWS = 5;

/** The rows of storages, the largest first, and those that are small: together at least two rows. */
export function parted(
  groups: readonly HeapStorage[][],
  total: number
): { readonly large: readonly HeapStorage[][]; readonly small: readonly HeapStorage[][] } {
  const large = groups.filter(group => bytesOf(group) >= SMALL * total).length;
  const first = Math.max(large, Math.min(FEWEST_ROWS, groups.length));
  const end = groups.length - first < 2 ? groups.length : first;
  return { large: groups.slice(0, end), small: groups.slice(end) };
}

/** "48 smaller: 3.1 kB". */
export function smallerText(groups: readonly HeapStorage[][]): string {
  const all = groups.flat();
  return `${format.whole(all.length)} smaller: ${format.bytes(bytesOf(all))}`;
}

/** What each of a group is: "[3, 4] float32 v2", with how many bytes if they are several. */
export function eachText(group: readonly HeapStorage[]): string {
  const [first] = group;
  if (!first || group.length === 1) {
    return first ? storageText(first) : '';
  }
  const same = group.every(({ version }) => version === first.version);
  const text = storageText(same ? first : { ...first, version: null });
  return `${text}, ${format.bytes(first.bytes)} each`;
}

/** "[3, 4] float32 v2". */
export function storageText({ shape, dtype, device, version }: HeapStorage): string {
  const parts = [format.shape(shape), dtype, device === 'cpu' ? '' : device];
  return [...parts, version === null ? '' : `v${version}`].filter(Boolean).join(' ');
}

export function holderText({ kind, text, graphs, graphs_more }: HeapHolder): string {
  const said = kind === 'numpy' ? `numpy array ${text}` : text;
  const more = graphs_more > 0 ? ` and ${format.whole(graphs_more)} more` : '';
  return graphs.length > 0 ? `${said} (graph of ${graphs.join(', ')}${more})` : said;
}

export function aliasText({ name, relation, shape, dtype, version, maker }: HeapAlias): string {
  const counter = version === null ? '' : ` v${version}`;
  const by = maker === '' ? '' : ` by ${maker}`;
  return `${name === '' ? 'unnamed' : name}: ${relation} ${format.shape(shape)} ${dtype}${counter}${by}`;
}

/** An alias with those that are under it; leaves of which the same is told are one, with their count. */
export interface Branch {
  readonly alias: HeapAlias;
  readonly under: Branch[];
  count: number;
}

/** What does not stand under one that comes before it begins a tree of its own: nothing may go round. */
export function treeOf(aliases: readonly HeapAlias[]): Branch[] {
  const branches: Branch[] = aliases.map(alias => ({ alias, under: [], count: 1 }));
  const roots: Branch[] = [];
  branches.forEach((branch, at) => {
    const { of } = branch.alias;
    const above = of !== null && of >= 0 && of < at ? branches[of] : undefined;
    (above?.under ?? roots).push(branch);
  });
  branches.forEach(branch => branch.under.splice(0, branch.under.length, ...merged(branch.under)));
  return roots;
}

function merged(branches: readonly Branch[]): Branch[] {
  const leaves = new Map<string, Branch>();
  return branches.filter(branch => {
    const text = aliasText(branch.alias);
    const same = branch.under.length === 0 ? leaves.get(text) : undefined;
    if (same) {
      same.count += 1;
    } else if (branch.under.length === 0) {
      leaves.set(text, branch);
    }
    return same === undefined;
  });
}
