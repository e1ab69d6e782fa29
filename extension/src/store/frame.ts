/** Calls back once, soon. */
export type Schedule = (callback: () => void) => void;

/**
 * At once, but once a frame: the first call of a quiet time is answered behind what is running now, so that
 * what it draws is in the very next frame; what comes until then waits for that frame, together.
 */
export const nextFrame: Schedule = callback => {
  waiting.add(callback);
  if (quiet) {
    quiet = false;
    queueMicrotask(told);
  }
};

let quiet = true;
const waiting = new Set<() => void>();

function told(): void {
  const callbacks = [...waiting];
  waiting.clear();
  inFrame(() => {
    if (waiting.size > 0) {
      told();
    } else {
      quiet = true;
    }
  });
  for (const callback of callbacks) {
    try {
      callback();
    } catch (error) {
      reportError(error); // and nobody else waits for nothing
    }
  }
}

/**
 * A hidden tab has no frames, and its view must not fall behind for ever (an `aria-live` message, a test
 * that drives a background page): a timer stands in.
 */
function inFrame(callback: () => void): void {
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
}

/**
 * Calls back in the frame behind the next one, which is painted by then; a hidden tab, which has no frames,
 * waits for a timer.
 */
export function behindFrame(callback: () => void): () => void {
  const stop = (): void => {
    cancelAnimationFrame(frame);
    clearTimeout(timer);
  };
  const once = (): void => {
    stop();
    callback();
  };
  const timer = setTimeout(once, 120);
  let frame = requestAnimationFrame(() => {
    frame = requestAnimationFrame(once);
  });
  return stop;
}

/** Calls back once for all calls that come until then. */
export class Soon {
  waits = false;

  constructor(
    private readonly schedule: Schedule,
    private readonly callback: () => void
  ) {}

  call(): void {
    if (!this.waits) {
      this.waits = true;
      this.schedule(() => {
        this.waits = false;
        this.callback();
      });
    }
  }
}
