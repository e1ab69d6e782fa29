import { describe, expect, test } from 'vitest';

import mlp from '../../../tests/fixtures/folds/mlp.json';
import nonfinite from '../../../tests/fixtures/folds/nonfinite.json';
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

interface Recorded {
  readonly views: readonly { readonly shown: unknown }[];
}

const shown = (recording: unknown = mlp): Record<string, unknown> =>
  wire((recording as Recorded).views[0]?.shown);

describe('readMessage', () => {
  test('reads all that is to be seen as it was sent', () => {
    const read = readMessage(shown());
    expect(read).toMatchObject(shown());
    expect(readMessage(wire(read))).toEqual(read); // what it filled in are values as well
  });

  test('reads the words for what JSON has no number for', () => {
    expect(JSON.stringify(nonfinite).includes('"nan"')).toBe(true); // The kernel writes them so.
    const message = shown() as { standing: { nodes: { grad_norm: unknown }[] } };
    message.standing.nodes.slice(0, 3).forEach((node, i) => {
      node.grad_norm = ['nan', 'inf', '-inf'][i];
    });
    const answer = readMessage(message);
    const nodes = answer.type === 'shown' ? answer.standing.nodes : [];
    expect(nodes.slice(0, 3).map(node => node.grad_norm)).toEqual([NaN, Infinity, -Infinity]);
  });

  test('fills in defaults, and drops fields it does not know', () => {
    const message = shown() as { drawing: { nodes: Record<string, unknown>[] } };
    delete message.drawing.nodes[1]?.['saved'];
    (message.drawing.nodes[1] as Record<string, unknown>)['colour'] = 'red';
    const answer = readMessage(message);
    const node = answer.type === 'shown' ? answer.drawing?.nodes[1] : undefined;
    expect(node?.saved).toEqual([]);
    expect(node).not.toHaveProperty('colour');
  });

  test('reads what a kernel in the browser sends, which has no null', () => {
    const text = JSON.stringify(shown());
    expect(text).toContain(':null');
    const without = JSON.parse(text, (_, value: unknown) => value ?? undefined) as unknown;
    expect(JSON.stringify(without)).not.toContain(':null');
    expect(readMessage(without)).toEqual(readMessage(shown()));
  });

  test.each([
    [null, 'type: expected one of sessions'],
    ['shown', 'type: expected one of sessions'],
    [{ type: 'constructor' }, 'type: expected one of'],
    [{ type: 'at_revision', session: 's1' }, 'at_revision.revision: expected a whole number'],
    [{ type: 'failed', request: 1, message: {} }, 'failed.message: expected a string']
  ])('refuses %j and says why', (message, words) => {
    expect(problem(message)).toContain(words);
  });

  test('says where in a large message the trouble is', () => {
    const message = shown() as { drawing: { nodes: { edges: { input_nr: unknown }[] }[] } };
    (message.drawing.nodes[3]?.edges[1] as { input_nr: unknown }).input_nr = 0.5;
    expect(problem(message)).toBe(
      'shown.drawing.nodes[3].edges[1].input_nr: expected a whole number, got 0.5'
    );
  });

  test('takes nothing from a prototype', () => {
    const message = JSON.parse(
      '{"type": "at_revision", "__proto__": {"session": "s", "revision": 1}}'
    ) as unknown;
    expect(problem(message)).toContain('at_revision.session');
  });
});
