/** Shows the file of a trace in an element, or why it cannot be shown. */
import type { CommandName } from '../protocol';
import { openView } from '../view';
import type { MountedView } from '../view';
import { readTraceFile, refuseLarge } from './file';
import { TracePort } from './tracePort';
import { BadFile } from './zip';

/** What only a run can be told, and a window of a kernel's. */
const WITHOUT: readonly CommandName[] = [
  ...(['stop', 'pause', 'pop-out', 'open-window'] as const),
  ...(['run-to-cursor', 'debug-second', 'why', 'show-cause'] as const),
  ...(['memory', 'refresh-memory'] as const)
];

/**
 * `encoded` is the file in base64, `name` what it is called. Null: it cannot be read, which is said; or nobody waits
 * for it any more.
 */
export async function openTrace(
  el: HTMLElement,
  encoded: string,
  name: string,
  signal?: AbortSignal
): Promise<MountedView | null> {
  try {
    refuseLarge(encoded.length * 0.75);
    say(el, 'status', 'Reading the trace…');
    await painted();
    const file = await readTraceFile(bytesIn(encoded));
    if (signal?.aborted) {
      return null;
    }
    el.replaceChildren();
    return openView(el, new TracePort(file, name), { fill: true, without: WITHOUT });
  } catch (error) {
    if (!(error instanceof BadFile)) {
      throw error;
    }
    if (!signal?.aborted) {
      say(el, 'alert', error.message);
    }
    return null;
  }
}

function say(el: HTMLElement, role: 'alert' | 'status', text: string): void {
  const said = document.createElement('p');
  said.className = 'vg-bad-file';
  said.style.margin = '2em'; // no sheet of the view's is there yet
  said.setAttribute('role', role);
  said.textContent = text;
  el.replaceChildren(said);
}

/** What was said is seen before the page is busy. */
function painted(): Promise<void> {
  return new Promise(resolve => setTimeout(resolve));
}

/** Bytes written in base64. */
export function bytesIn(text: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(text), letter => letter.charCodeAt(0));
  } catch {
    throw new BadFile('its text is damaged');
  }
}
