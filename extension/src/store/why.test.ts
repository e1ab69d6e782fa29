import { beforeEach, describe, expect, test } from 'vitest';

import { NO_REASON } from '../../tests/player';
import { RECORDINGS } from '../../tests/recordings';
import { stored } from '../../tests/stored';
import type { WhyLink } from '../protocol';
import { causeOf, spokenWhy, stepsOf, wayOf } from './why';

const link = (node: number | null): WhyLink => ({ text: `n${node}`, place: null, node });
const told = { ...NO_REASON, kind: 'nonfinite-backward', node: 9, story: '`x` is 0.' };
const chain = [link(9), link(4), link(null), link(4), link(2)];

describe('the way in the picture', () => {
  test('begins at what was seen and ends at the cause', () => {
    const why = { told: { ...told, chain }, position: 3 };
    expect([...wayOf({ why })]).toEqual([
      [9, 'seen'],
      [4, 'way'],
      [2, 'cause']
    ]);
    expect(causeOf(why.told)).toBe(2);
    expect([...stepsOf({ why })].sort()).toEqual(['2 4', '4 2', '4 9', '9 4']);
  });

  test('is one node that was seen, where the cause is none', () => {
    const why = { told: { ...told, chain: [link(9)] }, position: 3 };
    expect([...wayOf({ why })]).toEqual([[9, 'seen']]);
    expect(causeOf({ ...told, chain: [] })).toBe(9);
  });

  test('is none where there is nothing to explain', () => {
    const why = { told: { ...told, kind: 'healthy', chain }, position: 3 };
    expect(wayOf({ why }).size + stepsOf({ why }).size).toBe(0);
    expect(causeOf(why.told)).toBeNull();
    expect(wayOf({ why: null }).size).toBe(0);
  });

  test('is said in words', () => {
    expect(spokenWhy(told)).toBe('Why: x is 0.');
    expect(spokenWhy({ ...told, kind: 'healthy', story: 'Fine.' })).toBe('Fine.');
  });
});

describe('a view that asks', () => {
  const on = stored(RECORDINGS.mlp);
  beforeEach(async () => {
    on.open();
    await on.settle();
    on.kernel.why = { ...told, chain, position: 4 };
    on.store.actions.askWhy(9);
    await on.settle();
  });

  test('selects the node, and keeps the answer with where the run stood', () => {
    expect(on.kernel.requests.find(({ type }) => type === 'get_why')).toMatchObject({ node: 9 });
    expect(on.state().view).toMatchObject({ selection: 9, follow: false });
    expect(on.state().why).toMatchObject({ position: 0, told: { node: 9, position: 4 } });
    expect(on.state().announcement).toBe('Why: x is 0.');
  });

  test('is shown the step where it happened, and the cause', async () => {
    on.store.actions.showCause();
    await on.settle();
    expect(on.state().session?.run.position).toBe(4);
    expect(on.state().view.selection).toBe(2);
    const moves = on.sent().filter(type => type === 'seek').length;
    on.store.actions.showCause();
    await on.settle();
    expect(on.sent().filter(type => type === 'seek')).toHaveLength(moves);
  });

  test('puts the answer away', () => {
    on.store.actions.closeWhy();
    expect(on.state().why).toBeNull();
    on.store.actions.showCause();
    expect(on.sent()).not.toContain('seek');
  });

  test('refuses nodes that the graph does not have', async () => {
    on.store.actions.closeWhy();
    on.kernel.why = { ...told, chain: [link(9), link(1000)] };
    on.store.actions.askWhy(9);
    await on.settle();
    expect(on.state().why).toBeNull();
    expect(on.state().notice?.text).toContain('cannot read');
  });
});
