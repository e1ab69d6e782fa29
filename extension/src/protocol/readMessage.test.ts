import { describe, expect, test } from 'vitest';

import mlp from '../../../tests/fixtures/folds/mlp.json';
import nonfinite from '../../../tests/fixtures/folds/nonfinite.json';
import { Player } from '../../tests/player';
import { RECORDINGS } from '../../tests/recordings';
import { Malformed } from './check';
import { readMessage } from './readMessage';

/** What arrives on the wire: plain JSON. */
function wire(value: unknown): Record<string, unknown> {
  return JSON.parse(JSON.stringify(value)) as Record<string, unknown>;
}

function problem(message: unknown): string {
  try {
    readMessage(message);
  } catch (error) {
    expect(error).toBeInstanceOf(Malformed);
    return (error as Malformed).message;
  }
  throw new Error('was read without complaint');
}

const kernel = new Player(RECORDINGS.mlp);
const snapshot = () => wire((mlp as { snapshot: unknown }).snapshot);

describe('readMessage', () => {
  test('reads a whole snapshot as it was sent', () => {
    expect(readMessage(snapshot())).toEqual(snapshot());
  });

  test('reads the words for what JSON has no number for', () => {
    expect(JSON.stringify(nonfinite).includes('"nan"')).toBe(true); // The kernel writes them so.
    const message = wire(kernel.state(1)) as { run: { nodes: { grad_norm: unknown }[] } };
    message.run.nodes.slice(0, 3).forEach((node, i) => {
      node.grad_norm = ['nan', 'inf', '-inf'][i];
    });
    const answer = readMessage(message);
    expect(answer.type === 'state' && answer.run.nodes.slice(0, 3).map(n => n.grad_norm)).toEqual([
      NaN,
      Infinity,
      -Infinity
    ]);
  });

  test('fills in defaults, and drops fields it does not know', () => {
    const message = snapshot() as { graph: { nodes: Record<string, unknown>[] } };
    delete message.graph.nodes[1]?.['saved'];
    (message.graph.nodes[1] as Record<string, unknown>)['colour'] = 'red';
    const answer = readMessage(message);
    const node = answer.type === 'snapshot' ? answer.graph.nodes[1] : undefined;
    expect(node?.saved).toEqual([]);
    expect(node).not.toHaveProperty('colour');
  });

  test.each([
    [null, 'type: expected one of sessions'],
    ['state', 'type: expected one of sessions'],
    [{ type: 'constructor' }, 'type: expected one of'],
    [{ type: 'at_revision', session: 's1' }, 'at_revision.revision: expected a whole number'],
    [{ type: 'failed', request: 1, message: {} }, 'failed.message: expected a string']
  ])('refuses %j and says why', (message, words) => {
    expect(problem(message)).toContain(words);
  });

  test('says where in a large message the trouble is', () => {
    const message = snapshot() as { graph: { nodes: { edges: { input_nr: unknown }[] }[] } };
    (message.graph.nodes[3]?.edges[1] as { input_nr: unknown }).input_nr = 0.5;
    expect(problem(message)).toBe(
      'snapshot.graph.nodes[3].edges[1].input_nr: expected a whole number, got 0.5'
    );
  });

  test.each([
    ['an edge to nowhere', { path: ['graph', 'nodes', 0, 'edges', 0, 'node'], value: 99 }],
    ['an edge before the first', { path: ['graph', 'nodes', 0, 'edges', 0, 'node'], value: -1 }],
    ['a start at no node', { path: ['start', 'current'], value: 99 }],
    ['a root that is no node', { path: ['graph', 'roots', 0], value: [99, 0] }],
    ['an id that is not the index', { path: ['graph', 'nodes', 1, 'id'], value: 4 }],
    ['a run of another length', { path: ['run', 'nodes'], value: [] }],
    ['a current node that is none', { path: ['run', 'current'], value: 99 }],
    ['a breakpoint on no node', { path: ['run', 'breakpoints'], value: [99] }],
    ['an unknown state', { path: ['run', 'nodes', 0, 'state'], value: '<b>' }]
  ])('refuses %s', (_, { path, value }) => {
    const message = snapshot();
    const last = path[path.length - 1] as string;
    const inner = path.slice(0, -1).reduce<unknown>((at, key) => {
      return (at as Record<string, unknown>)[key as string];
    }, message);
    (inner as Record<string, unknown>)[last] = value;
    expect(problem(message)).toMatch(/^snapshot/);
  });

  test('takes nothing from a prototype', () => {
    const message = JSON.parse(
      '{"type": "at_revision", "__proto__": {"session": "s", "revision": 1}}'
    ) as unknown;
    expect(problem(message)).toContain('at_revision.session');
  });
});
