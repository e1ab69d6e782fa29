import { beforeEach, describe, expect, test, vi } from 'vitest';

import { RECORDINGS } from '../../tests/recordings';
import { stored } from '../../tests/stored';
import { SILENT_MS, SLOW_MS } from './requestQueue';

const { mlp } = RECORDINGS;
const on = stored(mlp);
const { open, state, sent, settle } = on;

describe('what the kernel says unasked', () => {
  beforeEach(async () => {
    open();
    await settle();
    on.kernel.requests.length = 0;
  });

  test('what another view does is shown here, too, and asked nobody', () => {
    on.kernel.moveTo(1);
    expect(state().session?.revision).toBe(2);
    expect(state().session?.run.position).toBe(1);
    expect(sent().filter(type => type !== 'inspect')).toEqual([]);
  });

  test('who is asked whether it is there says so', () => {
    on.kernel.emit({ type: 'roll_call' });
    expect(sent()).toEqual(['list_sessions']);
  });

  test('a gap in the revisions asks for what is missing, once', async () => {
    on.kernel.transport = () => [];
    on.kernel.moveTo(3);
    on.kernel.moveTo(2);
    on.kernel.transport = message => [message];
    on.kernel.moveTo(4);
    on.kernel.moveTo(5);
    expect(state().session?.revision).toBe(1);
    expect(on.kernel.requests.filter(({ type }) => type === 'since')).toMatchObject([
      { revision: 1 }
    ]);
    await settle();
    expect(state().session?.revision).toBe(5);
    expect(state().session?.run.position).toBe(5);
  });

  test('too many steps to be told one by one: the view looks anew, and is not sent the drawing', async () => {
    const { drawing, names } = state().session ?? {};
    on.kernel.moveTo(12);
    expect(on.kernel.requests.at(-1)).toMatchObject({ type: 'look', digest: drawing?.digest });
    await settle();
    expect(state().session?.run).toMatchObject({ position: 12, status: 'finished' });
    expect(state().announcement).toBe('12 nodes done, 12 of 12. Backward finished');
    expect(state().session?.drawing).toBe(drawing);
    expect(state().session?.names).toBe(names);
    on.kernel.moveTo(10);
    expect(state().session?.run.position).toBe(10);
    expect(sent().filter(type => type === 'look')).toHaveLength(1);
  });

  test('an update that was told before changes nothing', () => {
    on.kernel.transport = message => [message, message];
    on.kernel.moveTo(2);
    on.kernel.moveTo(1);
    expect(state().session?.run.position).toBe(1);
    expect([1, 2].map(index => state().session?.history.node(index))).toEqual([1, undefined]);
  });

  test('after a message was lost on the way, the view asks for what came since', async () => {
    on.kernel.transport = () => null;
    on.kernel.moveTo(3);
    on.kernel.transport = message => [message];
    expect(state().session?.run.position).toBe(0);
    on.kernel.afterCell();
    await settle();
    expect(state().session?.run.position).toBe(3);
  });

  test('a move whose answer was lost holds nothing up', async () => {
    on.kernel.transport = message => (message.type === 'done' ? [] : [message]);
    on.store.actions.step();
    await settle();
    on.kernel.transport = message => [message];
    expect(state().session?.run.position).toBe(1);
    on.store.actions.step();
    await settle();
    expect(state().session?.run.position).toBe(2);
    expect(state().moving).toBe(false);
  });

  test('an update of another session is not shown', () => {
    on.kernel.transport = message =>
      message.type === 'updated' ? [{ ...message, session: 's2' }] : [message];
    on.kernel.moveTo(1);
    expect(state().session?.revision).toBe(1);
  });

  test('an update about nodes that there are not is an error shown, and the view looks anew', async () => {
    on.kernel.transport = message =>
      message.type === 'updated'
        ? [{ ...message, update: { ...message.update, breakpoints: [99] } }]
        : [message];
    on.kernel.moveTo(1);
    expect(state().notice?.text).toContain(
      'update.breakpoints: expected a number below 12, got 99'
    );
    await settle();
    expect(state().session?.run.position).toBe(1);
  });

  test('written storages are shown, and nothing is laid out again', () => {
    const before = state().session;
    const [first] = mlp.storages.storages;
    on.kernel.write({
      storage: first?.id ?? 0,
      version: 5,
      writes: [],
      writes_dropped: 5,
      saved: [],
      opened: null
    });
    expect(state().session?.storages.get(first?.id ?? 0)?.version).toBe(5);
    expect(state().session?.drawing).toBe(before?.drawing);
  });

  test('attached to anew, the same drawing is the same object', async () => {
    const before = state().session?.drawing;
    on.store.retry();
    await settle();
    expect(state().session?.drawing).toBe(before);
  });

  test('a view that is gone says so, once', () => {
    on.store.dispose();
    on.store.dispose();
    expect(sent()).toEqual(['detach']);
  });

  test('what cannot be read is told, with what to do, and breaks nothing', () => {
    on.kernel.emit({ type: 'at_revision', session: 's1', revision: 'two' });
    expect(state().notice?.text).toContain('at_revision.revision: expected a whole number');
    expect(state().notice?.text).toContain('reinstall vizgrad');
    expect(state().session?.revision).toBe(1);
    on.store.dismiss();
    expect(state().notice).toBeNull();
  });

  test('a failure is told as the kernel words it, and not asked about again', async () => {
    on.store.actions.runTo(99);
    await settle();
    expect(state().notice?.text).toBe('There is no such node ahead.');
    on.kernel.requests.length = 0;
    await settle();
    expect(sent()).toEqual([]);
  });

  test('a refusal is of no interest any more once the run has moved', async () => {
    on.store.actions.runTo(99);
    await settle();
    expect(state().notice).toMatchObject({ level: 'error', refusal: true });
    on.kernel.moveTo(1);
    await settle();
    expect(state().notice).toBeNull();
  });
});

describe('a kernel that does not answer', () => {
  test('is waited for, then doubted, and can be asked again', async () => {
    on.kernel.delay = null;
    open();
    expect(state().patience).toBe('waiting');
    await vi.advanceTimersByTimeAsync(SLOW_MS + 10);
    expect(state().patience).toBe('slow');
    await vi.advanceTimersByTimeAsync(SILENT_MS);
    expect(state().patience).toBe('silent');
    on.kernel.delay = 0;
    on.store.retry();
    await settle();
    expect(state().patience).toBe('answered');
    expect(state().session?.run.total).toBe(12);
  });

  test('may still answer late', async () => {
    on.kernel.delay = null;
    open();
    await vi.advanceTimersByTimeAsync(SILENT_MS + 10);
    on.kernel.delay = 0;
    on.kernel.flush();
    await settle();
    expect(state().patience).toBe('answered');
    expect(state().session).not.toBeNull();
  });

  test('a port that throws is told of', async () => {
    open();
    await settle();
    vi.spyOn(on.kernel, 'send').mockImplementation(() => {
      throw new Error('comm is closed');
    });
    on.store.actions.step();
    expect(state().notice?.text).toContain('comm is closed');
    expect(state().moving).toBe(false);
  });
});
