import { describe, expect, test } from 'vitest';

import { blocks, graphOf, mlp } from '../../../tests/graphs';
import { foldedInto, openGroups, reveal } from './folding';
import { scopeTree } from './scopes';

/** A chain: one node after the other, each in its scope. */
function chain(...scopes: string[][]): ReturnType<typeof graphOf> {
  const specs = scopes.map((scope, i) => ({
    name: 'MulBackward0',
    edges: i + 1 < scopes.length ? [i + 1] : [],
    shape: [2],
    scope
  }));
  return graphOf(specs, [[0, 0]]);
}

const titles = (graph: ReturnType<typeof graphOf>) =>
  scopeTree(graph).groups.map(group => `${'.'.repeat(group.depth - 1)}${group.title}`);

describe('scopeTree', () => {
  test('groups by path, outer before inner; leaves are in none', () => {
    const graph = mlp();
    const tree = scopeTree(graph);
    expect(titles(graph)).toEqual(['mlp', '.fc1', '.fc2']);
    expect(tree.groupOf[7]).toBeNull();
    expect(tree.groups[tree.groupOf[6] as number]?.title).toBe('fc1');
  });

  test('a scope entered twice is two groups, so that folding makes no cycle', () => {
    expect(titles(chain(['cell'], ['cell'], [], ['cell'], ['cell']))).toEqual([
      'cell (1)',
      'cell (2)'
    ]);
  });

  test('a single node gets no box of its own', () => {
    expect(titles(chain(['a', 'b'], ['a', 'c'], ['d']))).toEqual(['a']);
  });

  test('a path may be deep, and called anything', () => {
    const deep = Array.from({ length: 500 }, (_, i) => (i % 2 ? '__proto__' : 'constructor'));
    expect(scopeTree(chain(deep, deep)).groups).toHaveLength(32);
  });

  test('a graph without scopes is cut into parts when it is large', () => {
    const graph = chain(...Array.from({ length: 1000 }, () => []));
    expect(scopeTree(graph).groups.map(group => group.title)[0]).toBe('part 1 of 20');
    expect(scopeTree(chain(...Array.from({ length: 400 }, () => []))).groups).toEqual([]);
  });
});

describe('openGroups', () => {
  test('opens all of a small graph', () => {
    const graph = mlp();
    const tree = scopeTree(graph);
    expect(openGroups(graph, tree, new Map()).size).toBe(3);
  });

  test('folds a large graph level by level, all groups of a level alike', () => {
    const graph = blocks(1000);
    const tree = scopeTree(graph);
    const open = openGroups(graph, tree, new Map());
    const depths = (folded: boolean) =>
      new Set(tree.groups.filter(group => open.has(group.id) !== folded).map(g => g.depth));
    const shown = depths(false);
    expect([...depths(true)].every(depth => !shown.has(depth))).toBe(true);
  });

  test('what a person opens or folds stays so', () => {
    const graph = mlp();
    const tree = scopeTree(graph);
    const open = openGroups(graph, tree, new Map([[0, false]]));
    expect(foldedInto(tree, open, 1)).toBe(0);
    const shown = reveal(tree, new Map([[0, false]]), 1);
    expect(foldedInto(tree, openGroups(graph, tree, shown), 1)).toBeNull();
  });

  test('100,000 nodes without a scope are opened as a few boxes, in a second', () => {
    const graph = chain(...Array.from({ length: 100_000 }, () => []));
    const start = performance.now();
    const tree = scopeTree(graph);
    const open = openGroups(graph, tree, new Map());
    expect(performance.now() - start).toBeLessThan(3000);
    const top = tree.groups.filter(group => group.parent === null);
    expect(top.length).toBeLessThanOrEqual(400);
    expect(top.some(group => open.has(group.id))).toBe(false);
  });
});
