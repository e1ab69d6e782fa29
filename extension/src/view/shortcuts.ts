/** Keys, as they are given to commands, and keeping them from the host's own shortcuts. */
import { COMMANDS } from '../protocol';
import type { Command } from '../protocol';
import type { Commands } from './commands';
import { keysOf } from './host';

/** What was pressed, as commands name it: "b", "?", "Shift F10"; null with Ctrl, Alt or Meta, which are the host's. */
export function strokeOf(event: KeyboardEvent): string | null {
  if (event.ctrlKey || event.metaKey || event.altKey) {
    return null;
  }
  const name = event.key === ' ' ? 'Space' : event.key;
  const letter = name.length === 1 && name.toLowerCase() !== name.toUpperCase();
  if (letter) {
    return event.shiftKey ? `Shift ${name.toUpperCase()}` : name.toLowerCase();
  }
  return event.shiftKey && name.length > 1 ? `Shift ${name}` : name;
}

/** True if the key was a command's, whether or not it makes sense now. */
export function commandKey(event: KeyboardEvent, commands: Commands): boolean {
  const stroke = strokeOf(event);
  const { target } = event;
  if (stroke === null || !(target instanceof Element)) {
    return false;
  }
  const inGraph = target.closest('.vg-canvas') !== null;
  const typing = target.matches('input[type="text"], textarea, select') && stroke.length === 1;
  const command = typing ? undefined : commandOf(stroke, inGraph);
  if (!command || !commands.has(command.name)) {
    return false;
  }
  commands.perform(command.name);
  return true;
}

function commandOf(stroke: string, inGraph: boolean): Command | undefined {
  return COMMANDS.find(
    ({ name, reach }) => (inGraph || reach === 'view') && keysOf(name).includes(stroke)
  );
}

/** As a person reads them: "F10", "Shift F10", "r". */
export function keyText(name: Command['name']): string {
  return keysOf(name).join(' or ');
}

/**
 * JupyterLab looks at every key before the page does (a listener on the document, in the capture
 * phase): `b` in a focused widget would insert a cell below, arrows would leave the cell. It passes
 * over elements marked `data-lm-suppress-shortcuts`. The mark is set only while a key without
 * Ctrl, Alt or Meta is being handled, so that saving or the command palette keep working here. It is
 * on what has the focus, too: from there outwards the first element counts that a shortcut is for.
 *
 * Returns a function that ends it.
 */
export function keepKeysFromHost(root: HTMLElement): () => void {
  const mark = 'data-lm-suppress-shortcuts';
  const page = root.ownerDocument.defaultView;
  const before = (event: KeyboardEvent): void => {
    const path = event.composedPath();
    if (path.includes(root) && !event.ctrlKey && !event.metaKey && !event.altKey) {
      for (const each of [root, path[0]]) {
        if (each instanceof Element) {
          each.setAttribute(mark, 'true');
          setTimeout(() => each.removeAttribute(mark));
        }
      }
    }
  };
  // The window's capture phase comes before the document's.
  page?.addEventListener('keydown', before, true);
  return () => page?.removeEventListener('keydown', before, true);
}
