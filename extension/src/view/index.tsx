/**
 * The view: draws a debugging session into an element. It knows nothing of Jupyter; whoever mounts
 * it brings a port to a kernel.
 */
import { render } from 'preact';

import { DebuggerStore } from '../store';
import type { Port, StoreOptions } from '../store';
import { App } from './App';
import { can, perform } from './frame/commands';
import type { RunCommand } from './frame/commands';
import { StoreContext } from './hooks';
import { style } from './style';

export interface ViewOptions extends StoreOptions {
  /** Be as tall as the host element (a side panel), instead of as tall as the view likes. */
  readonly fill?: boolean;
}

/** A mounted view. */
export interface MountedView {
  readonly store: DebuggerStore;
  /** Whether a command makes sense now. */
  can(command: RunCommand): boolean;
  /** Do it, if it makes sense. */
  perform(command: RunCommand): void;
  unmount(): void;
}

/** Draw the debugger into `el`, fed by `port`, with a handle on its store for commands. */
export function openView(el: HTMLElement, port: Port, options: ViewOptions = {}): MountedView {
  const store = new DebuggerStore(port, options);
  render(
    <StoreContext.Provider value={store}>
      <style>{style}</style>
      <App sessions={options.followNewest ?? false} fill={options.fill ?? false} />
    </StoreContext.Provider>,
    el
  );
  return {
    store,
    can: command => can(store.state.value, command),
    perform: command => perform(store, command),
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
