import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';

import type { Schedule } from './frame';

/** Lets microtasks run, and nothing else. */
const behind = async (): Promise<void> => {
  await Promise.resolve();
  await Promise.resolve();
};

describe('nextFrame', () => {
  let nextFrame: Schedule;
  let frames: (() => void)[];
  const frame = async (): Promise<void> => {
    frames.splice(0).forEach(callback => callback());
    await behind();
  };

  beforeEach(async () => {
    vi.resetModules();
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    frames = [];
    vi.stubGlobal('requestAnimationFrame', (callback: () => void) => frames.push(callback));
    ({ nextFrame } = await import('./frame'));
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });

  test('the first is called behind what runs, before any frame', async () => {
    const called = vi.fn();
    nextFrame(called);
    expect(called).not.toHaveBeenCalled();
    await behind();
    expect(called).toHaveBeenCalledOnce();
  });

  test('what comes until the frame waits for it, together', async () => {
    const first = vi.fn();
    nextFrame(first);
    await behind();
    const later = [vi.fn(), vi.fn()];
    later.forEach(nextFrame);
    await behind();
    expect(later[0]).not.toHaveBeenCalled();
    await frame();
    later.forEach(callback => expect(callback).toHaveBeenCalledOnce());
    expect(first).toHaveBeenCalledOnce();
  });

  test('there is one turn a frame, and behind a quiet frame it is at once again', async () => {
    const called = vi.fn();
    nextFrame(called);
    await behind();
    nextFrame(called);
    await frame(); // the second turn
    nextFrame(called);
    await behind();
    expect(called).toHaveBeenCalledTimes(2);
    await frame(); // the third
    await frame(); // nobody waits
    nextFrame(called);
    await behind();
    expect(called).toHaveBeenCalledTimes(4);
  });

  test('a page without frames is told by a timer', async () => {
    vi.stubGlobal('requestAnimationFrame', () => 0);
    const called = vi.fn();
    nextFrame(called);
    await behind();
    nextFrame(called);
    await vi.advanceTimersByTimeAsync(200);
    expect(called).toHaveBeenCalledTimes(2);
  });

  test('one that raises keeps nobody else waiting', async () => {
    const reported = vi.fn();
    vi.stubGlobal('reportError', reported);
    const called = vi.fn();
    const error = new Error('bad');
    nextFrame(() => {
      throw error;
    });
    nextFrame(called);
    await behind();
    expect(called).toHaveBeenCalledOnce();
    expect(reported).toHaveBeenCalledExactlyOnceWith(error);
  });
});
