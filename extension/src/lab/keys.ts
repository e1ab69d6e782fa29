/** Keys that a person has given to our commands, read from JupyterLab's. */
import type { JupyterFrontEnd } from '@jupyterlab/application';

import { COMMANDS } from '../protocol';
import type { CommandName } from '../protocol';
import { idOf } from './commands';

/** On a US keyboard, as JupyterLab writes keys: the first with Shift is the second. */
const PLAIN = "`1234567890-=[]\\;',./";
const WITH_SHIFT = '~!@#$%^&*()_+{}|:"<>?';
const SHIFTED = new Map(Array.from(PLAIN, (key, i) => [key, WITH_SHIFT[i] as string]));

/** "Shift /" is "?", "B" is "b". Null: it has a modifier that views leave to JupyterLab. */
export function strokeOfLab(keystroke: string): string | null {
  const words = keystroke.split(' ');
  const key = words.pop() ?? '';
  const shift = words.length === 1 && words[0] === 'Shift';
  if (words.length > 0 && !shift) {
    return null;
  }
  if (key.length > 1 || (shift && !SHIFTED.has(key))) {
    return shift ? `Shift ${key}` : key;
  }
  return shift ? (SHIFTED.get(key) as string) : key.toLowerCase();
}

type Bindings = JupyterFrontEnd['commands']['keyBindings'];

/** The keys of each command, as views name them. Rows of several strokes are JupyterLab's to follow. */
export function keysIn(bindings: Bindings): Partial<Record<CommandName, readonly string[]>> {
  const keys = new Map(COMMANDS.map(({ name }) => [idOf(name), [] as string[]]));
  for (const { command, keys: strokes } of bindings) {
    const stroke = strokes.length === 1 ? strokeOfLab(strokes[0] as string) : null;
    if (stroke !== null) {
      keys.get(command)?.push(stroke);
    }
  }
  return Object.fromEntries(COMMANDS.map(({ name }) => [name, keys.get(idOf(name)) ?? []]));
}
