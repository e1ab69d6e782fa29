/** Shows the file of a trace in an element, or why it cannot be shown. */
import type { CommandName } from '../protocol';
import { openView } from '../view';
import type { MountedView } from '../view';
import { readTraceFile } from './file';
import { TracePort } from './tracePort';
import { BadFile } from './zip';

/** What only a run can be told, and a window of a kernel's. */
const WITHOUT: readonly CommandName[] = [
  ...(['stop', 'pause', 'pop-out', 'open-window'] as const),
  ...(['run-to-cursor', 'debug-second', 'why', 'show-cause'] as const),
  ...(['memory', 'refresh-memory'] as const)
];

/** `name` is that of the file. Null: it cannot be read, which is said. */
export function openTrace(el: HTMLElement, bytes: Uint8Array, name: string): MountedView | null {
  try {
    const port = new TracePort(readTraceFile(bytes), name);
    return openView(el, port, { fill: true, without: WITHOUT });
  } catch (error) {
    if (!(error instanceof BadFile)) {
      throw error;
    }
    const said = document.createElement('p');
    said.className = 'vg-bad-file';
    said.setAttribute('role', 'alert');
    said.textContent = error.message;
    el.replaceChildren(said);
    return null;
  }
}

/** Bytes written in base64. */
export function bytesIn(text: string): Uint8Array {
  return Uint8Array.from(atob(text), letter => letter.charCodeAt(0));
}
