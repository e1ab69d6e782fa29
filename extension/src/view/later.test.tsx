import { render } from 'preact';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';

import { later } from './later';

describe('later', () => {
  const drawn = vi.fn();
  const Shown = later(({ text }: { text: string }) => {
    drawn(text);
    return <p>{text}</p>;
  });
  let host: HTMLElement;
  const draw = (text: string): void => render(<Shown text={text} />, host);

  beforeEach(() => {
    vi.useFakeTimers();
    drawn.mockClear();
    host = document.createElement('div');
    draw('a');
  });
  afterEach(() => {
    render(null, host);
    vi.useRealTimers();
  });

  test('is there from the beginning, and changes behind the next frame', async () => {
    expect(host.textContent).toBe('a');
    draw('b');
    expect(host.textContent).toBe('a');
    vi.advanceTimersToNextFrame();
    await vi.advanceTimersByTimeAsync(1);
    expect(host.textContent).toBe('a');
    vi.advanceTimersToNextFrame();
    await vi.advanceTimersByTimeAsync(1);
    expect(host.textContent).toBe('b');
  });

  test('of several changes the last is drawn, once', async () => {
    draw('b');
    draw('c');
    await vi.advanceTimersByTimeAsync(200);
    expect(host.textContent).toBe('c');
    expect(drawn.mock.calls).toEqual([['a'], ['c']]);
  });

  test('is not drawn for the same', async () => {
    draw('a');
    await vi.advanceTimersByTimeAsync(200);
    expect(drawn).toHaveBeenCalledOnce();
  });

  test('a page without frames is not left behind', async () => {
    vi.spyOn(globalThis, 'requestAnimationFrame').mockReturnValue(0);
    draw('b');
    await vi.advanceTimersByTimeAsync(200);
    expect(host.textContent).toBe('b');
    vi.restoreAllMocks();
  });

  test('nothing comes when it is gone', async () => {
    draw('b');
    render(null, host);
    await vi.advanceTimersByTimeAsync(200);
    expect(drawn).toHaveBeenCalledOnce();
  });
});
