/**
 * The view: draws a debugging session into an element. It knows nothing of Jupyter; whoever mounts
 * it brings a port to a kernel.
 */
import { render } from 'preact';

import { DebuggerStore } from '../store';
import type { Port, StoreOptions } from '../store';
import { App } from './App';
import { StoreContext } from './hooks';
import { startLayoutWorker } from './layout/startWorker';
import type { WorkerFactory } from './layout/layoutClient';
import { style } from './style';

export interface ViewOptions extends StoreOptions {
  /** Starts a layout worker; null: always the simple layout. For hosts and tests with their own. */
  readonly worker?: WorkerFactory;
}

/** A mounted view. */
export interface MountedView {
  readonly store: DebuggerStore;
  unmount(): void;
}

/** Draw the debugger into `el`, fed by `port`, with a handle on its store for commands. */
export function openView(el: HTMLElement, port: Port, options: ViewOptions = {}): MountedView {
  const store = new DebuggerStore(port, options);
  render(
    <StoreContext.Provider value={store}>
      <style>{style}</style>
      <App worker={options.worker ?? startLayoutWorker} sessions={options.followNewest ?? false} />
    </StoreContext.Provider>,
    el
  );
  return {
    store,
    unmount: () => {
      render(null, el);
      store.dispose();
    }
  };
}

/** Draw the debugger into `el`, fed by `port`. The function returned takes everything away. */
export function mountView(el: HTMLElement, port: Port, options: ViewOptions = {}): () => void {
  return openView(el, port, options).unmount;
}
