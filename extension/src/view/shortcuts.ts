/** Keys that work anywhere in the view, and keeping them from the host's own shortcuts. */
import type { DebuggerStore } from '../store';
import { perform } from './frame/commands';
import type { RunCommand } from './frame/commands';

/** The same keys as JupyterLab's debugger where it has them: continue F9, next F10, stop Shift F9. */
const KEYS = new Map<string, RunCommand>([
  ['F9', 'continue'],
  ['F10', 'step'],
  ['Shift F10', 'back'],
  ['Shift F9', 'stop']
]);

/** True if the key was one of these, whether or not it makes sense now. */
export function globalKey(event: KeyboardEvent, store: DebuggerStore): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey) {
    return false;
  }
  const command = KEYS.get(`${event.shiftKey ? 'Shift ' : ''}${event.key}`);
  if (command) {
    perform(store, command);
  }
  return command !== undefined;
}

/**
 * JupyterLab looks at every key before the page does (a listener on the document, in the capture
 * phase): `b` in a focused widget would insert a cell below, arrows would leave the cell. It passes
 * over elements marked `data-lm-suppress-shortcuts`. The mark is set only while a key without
 * Ctrl, Alt or Meta is being handled, so that saving or the command palette keep working here.
 *
 * Returns a function that ends it.
 */
export function keepKeysFromHost(root: HTMLElement): () => void {
  const mark = 'data-lm-suppress-shortcuts';
  const page = root.ownerDocument.defaultView;
  const before = (event: KeyboardEvent): void => {
    const inside = event.composedPath().includes(root);
    if (inside && !event.ctrlKey && !event.metaKey && !event.altKey) {
      root.setAttribute(mark, 'true');
      setTimeout(() => root.removeAttribute(mark));
    }
  };
  // The window's capture phase comes before the document's.
  page?.addEventListener('keydown', before, true);
  return () => page?.removeEventListener('keydown', before, true);
}
