/** A store that hears a recorded session, for tests of what it asks and what it makes of answers. */
import { afterEach, beforeEach, vi } from 'vitest';

import type { Request } from '../src/protocol';
import { DebuggerStore } from '../src/store';
import type { DebuggerState, StoreOptions } from '../src/store';
import { Player } from './player';
import type { Recording } from './recordings';

export class Stored {
  kernel!: Player;
  store!: DebuggerStore;

  readonly open = (options: StoreOptions = {}): void => {
    this.store = new DebuggerStore(this.kernel, { schedule: callback => callback(), ...options });
  };
  readonly state = (): DebuggerState => this.store.state.value;
  readonly sent = (): Request['type'][] => this.kernel.requests.map(request => request.type);
  /** Answers have come. */
  readonly settle = (): Promise<unknown> => vi.advanceTimersByTimeAsync(20);
}

/** For the tests of the file that calls it; time stands still in them unless they let it pass. */
export function stored(recording: Recording): Stored {
  const on = new Stored();
  beforeEach(() => {
    vi.useFakeTimers();
    on.kernel = new Player(recording);
  });
  afterEach(() => {
    on.store.dispose();
    vi.useRealTimers();
  });
  return on;
}
