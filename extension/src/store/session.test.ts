import { describe, expect, test } from 'vitest';

import { CONVERSATIONS } from '../../tests/recordings';
import type { Turn } from '../../tests/recordings';
import type { Saved, State, Update } from '../protocol';
import { DoesNotFollow, edgeKey } from './fold';
import { fromSnapshot, withState, withUpdate } from './session';
import type { RunHead, SessionState } from './session';

/** What the view shows, in the words of a kernel's state. */
function shown({ graph, run, fold, saved, storages }: SessionState) {
  return {
    run: closing(run),
    nodes: graph.nodes.map(({ id }) => fold.node(id)),
    ready: fold.queue,
    buffers: fold.waiting,
    flows: fold.flows,
    saved: graph.nodes.map(({ id }) => saved.of(id).map(essence)),
    storages: storages.list.map(({ id, version, writes, writes_dropped }) => ({
      id,
      version,
      writes,
      writes_dropped
    }))
  };
}

function told(state: SessionState, { run, storages }: State) {
  const { nodes, ready, buffers, edges, saved, ...head } = run;
  const changes = new Map(saved.map(change => [`${change.node} ${change.name}`, change]));
  return {
    run: closing(head),
    nodes,
    ready,
    buffers,
    flows: new Map(edges.map(({ node, edge, norm }) => [edgeKey(node, edge), norm])),
    saved: state.graph.nodes.map(node =>
      node.saved.map(value => essence({ ...value, ...changes.get(`${node.id} ${value.name}`) }))
    ),
    storages: storages.map(({ id, version, writes, writes_dropped }) => ({
      id,
      version,
      writes,
      writes_dropped
    }))
  };
}

/** Of a closed one no position can be gone back to. */
function closing(run: RunHead): RunHead {
  return run.status === 'closed' ? { ...run, earliest: 0 } : run;
}

/** Of a released value nothing else is known. */
function essence({ name, state, version_now, culprit }: Saved) {
  return state === 'freed' ? { name, state } : { name, state, version_now, culprit };
}

function updates(turn: Turn): readonly Update[] {
  return turn.told.flatMap(message => (message.type === 'updated' ? [message.update] : []));
}

describe.each(Object.entries(CONVERSATIONS))('the conversation %s', (_, turns) => {
  const [attached] = turns[0]?.told ?? [];

  test('leads to where the session stands, turn by turn', () => {
    if (attached?.type !== 'snapshot') {
      throw new Error('a conversation begins with a snapshot');
    }
    let state = fromSnapshot(attached, null);
    let folds = 0;
    for (const turn of turns) {
      for (const update of updates(turn)) {
        try {
          state = withUpdate(state, update);
          folds++;
        } catch (error) {
          expect(error).toBeInstanceOf(DoesNotFollow);
          expect(update.jumped).toBe(true);
          state = withState(state, turn.state);
        }
      }
      expect(shown(state), JSON.stringify(turn.asked)).toEqual(told(state, turn.state));
      expect(state.revision).toBe(turn.state.revision);
    }
    expect(folds).toBeGreaterThan(2);
  });

  test('what is counted step by step is what a look at the whole counts', () => {
    let state = fromSnapshot(attached as Extract<typeof attached, { type: 'snapshot' }>, null);
    for (const turn of turns) {
      for (const update of updates(turn)) {
        state = update.jumped ? withState(state, turn.state) : withUpdate(state, update);
        const whole = withState(state, turn.state);
        if (state.revision === whole.revision) {
          expect(counts(state)).toEqual(counts(whole));
        }
      }
    }
  });
});

function counts({ saved, held, fold }: SessionState) {
  const states = ['alive', 'stale', 'packed', 'freed'] as const;
  return {
    saved: states.map(state => saved.count(state)),
    held: held.bytes,
    holders: [...held.byNode].sort(([a], [b]) => a - b),
    now: held.steps[fold.position]
  };
}
