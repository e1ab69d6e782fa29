/**
 * The view: draws a debugging session into an element. It knows nothing of Jupyter; the host that mounts
 * it brings a port to a kernel.
 */
import { render } from 'preact';

import type { CommandName } from '../protocol';
import { DebuggerStore } from '../store';
import type { Port, StoreOptions } from '../store';
import { App } from './App';
import { Commands } from './commands';
import { CommandsContext, StoreContext } from './hooks';
import { ASK_HOST, hostOf } from './host';
import type { Asked } from './host';
import { remembered } from './layout';
import { style } from './style';
import { putStyle } from './styleSheet';

export interface ViewOptions extends StoreOptions {
  /** Be as tall as the host element (a side panel), instead of as tall as the view likes. */
  readonly fill?: boolean;
  /** What other views do, but not this. */
  readonly without?: readonly CommandName[];
}

/** A mounted view. */
export interface MountedView {
  readonly store: DebuggerStore;
  readonly commands: Commands;
  unmount(): void;
}

/** Draw the debugger into `el`, fed by `port`, with a handle on its store for commands. */
export function openView(el: HTMLElement, port: Port, options: ViewOptions = {}): MountedView {
  const store = new DebuggerStore(port, options);
  const commands = new Commands(
    store,
    command => {
      const session = store.state.value.session?.session ?? null;
      const detail: Asked = { command, session };
      el.dispatchEvent(new CustomEvent(ASK_HOST, { detail, bubbles: true, composed: true }));
    },
    options.without
  );
  store.view({ presentation: remembered().teach ?? hostOf(document).preferences.presentation });
  const styled = putStyle(el);
  render(
    <StoreContext.Provider value={store}>
      <CommandsContext.Provider value={commands}>
        {!styled && <style>{style}</style>}
        <App sessions={options.followNewest ?? false} fill={options.fill ?? false} />
      </CommandsContext.Provider>
    </StoreContext.Provider>,
    el
  );
  return {
    store,
    commands,
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
