/** Calls back once, soon. */
export type Schedule = (callback: () => void) => void;

/**
 * The next animation frame. A hidden tab has no frames, and its view must not fall behind for ever
 * (an `aria-live` message, a test that drives a background page): a timer stands in.
 */
export const nextFrame: Schedule = callback => {
  let called = false;
  const once = (): void => {
    if (!called) {
      called = true;
      callback();
    }
  };
  if (typeof requestAnimationFrame === 'function') {
    requestAnimationFrame(once);
  }
  setTimeout(once, 120);
};
