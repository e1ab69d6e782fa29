import { describe, expect, test } from 'vitest';

import { blocks, graphOf, mlp } from '../../../tests/graphs';
import { openGroups } from './folding';
import { scopeTree } from './scopes';
import { visibleGraph } from './visible';

function show(graph: ReturnType<typeof graphOf>, byHand = new Map<number, boolean>()) {
  const tree = scopeTree(graph);
  return visibleGraph(graph, tree, openGroups(graph, tree, byHand));
}

describe('visibleGraph', () => {
  test('draws every node, a pin per use of a leaf, and the result', () => {
    const { items, links } = show(mlp());
    const kinds = (kind: string) => items.filter(item => item.kind === kind).length;
    expect([kinds('node'), kinds('pin'), kinds('result')]).toEqual([7, 4, 1]);
    // One line per edge that leads somewhere, and one from the result.
    expect(links).toHaveLength(11);
  });

  test('a leaf used three times is three pins, numbered', () => {
    const graph = graphOf(
      [
        { name: 'AddBackward0', edges: [1, 2], shape: [] },
        { name: 'MulBackward0', edges: [2, 2], shape: [] },
        { name: 'AccumulateGrad', edges: [], shape: [], label: 'w' }
      ],
      [[0, 0]]
    );
    const { items, keysOf } = show(graph);
    const pins = items.filter(item => item.kind === 'pin');
    expect(pins.map(pin => `${pin.use}/${pin.uses}`)).toEqual(['1/3', '2/3', '3/3']);
    expect(keysOf(2)).toEqual(['p0_1', 'p1_0', 'p1_1']);
  });

  test('a folded group is one box; lines to and from it are merged', () => {
    const graph = mlp();
    const tree = scopeTree(graph);
    const fc2 = tree.groups.find(group => group.title === 'fc2')?.id as number;
    const { items, links, keysOf } = show(graph, new Map([[fc2, false]]));
    const box = items.find(item => item.kind === 'group');
    expect(box?.kind === 'group' && box.nodes).toEqual([2, 4]);
    expect(keysOf(4)).toEqual([`g${fc2}`]);
    expect(keysOf(9)).toEqual([`g${fc2}`]); // its weight is inside
    expect(links.filter(link => link.from === `g${fc2}`)).toHaveLength(1);
    expect(links.some(link => link.from === link.to)).toBe(false);
  });

  test('a leaf that is itself the result is drawn', () => {
    const graph = graphOf([{ name: 'AccumulateGrad', edges: [], shape: [], label: 'w' }], [[0, 0]]);
    expect(show(graph).items.map(item => item.kind)).toEqual(['node', 'result']);
  });

  test('whatever is folded, no lines go in a circle', () => {
    const graph = blocks(600);
    const tree = scopeTree(graph);
    for (const group of tree.groups.slice(0, 12)) {
      const { items, links } = show(graph, new Map([[group.id, false]]));
      expect(
        isAcyclic(
          items.map(item => item.key),
          links
        )
      ).toBe(true);
    }
  });
});

function isAcyclic(keys: readonly string[], links: readonly { from: string; to: string }[]) {
  const waiting = new Map(keys.map(key => [key, 0]));
  links.forEach(({ to }) => waiting.set(to, (waiting.get(to) ?? 0) + 1));
  const queue = keys.filter(key => waiting.get(key) === 0);
  for (const key of queue) {
    for (const { to } of links.filter(link => link.from === key)) {
      waiting.set(to, (waiting.get(to) as number) - 1);
      if (waiting.get(to) === 0) {
        queue.push(to);
      }
    }
  }
  return queue.length === keys.length;
}
