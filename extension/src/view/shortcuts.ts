/** Keys that work anywhere in the view, and keeping them from the host's own shortcuts. */
import type { DebuggerStore } from '../store';
import { can } from './frame/commands';

/** The same keys as JupyterLab's debugger where it has them: continue F9, next F10, stop Shift F9. */
export function globalKey(event: KeyboardEvent, store: DebuggerStore): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey) {
    return false;
  }
  const able = can(store.state.value);
  const key = `${event.shiftKey ? 'Shift ' : ''}${event.key}`;
  switch (key) {
    case 'F9':
      if (able.advance) {
        store.continue();
      }
      return true;
    case 'F10':
      if (able.advance) {
        store.step();
      }
      return true;
    case 'Shift F10':
      if (able.back) {
        store.back();
      }
      return true;
    case 'Shift F9':
      if (able.stop) {
        store.stop();
      }
      return true;
    default:
      return false;
  }
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
