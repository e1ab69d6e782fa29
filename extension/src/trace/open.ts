/** Shows the file of a trace in an element, or why it cannot be shown. */
import type { CommandName } from '../protocol';
import { openView } from '../view';
import type { MountedView } from '../view';
import type { Port } from '../store';
import { bytesIn, readTraceFile, refuseLarge } from './file';
import type { Progress } from './file';
import { TracePort } from './tracePort';
import { NoWorker, WorkerPort } from './workerPort';
import { BadFile } from './zip';

/** What only a run can be told, and a window of a kernel's. */
const WITHOUT: readonly CommandName[] = [
  ...(['stop', 'pause', 'pop-out', 'open-window', 'save-trace'] as const),
  ...(['run-to-cursor', 'debug-second', 'why', 'show-cause'] as const),
  ...(['memory', 'refresh-memory'] as const)
];

/**
 * `encoded` is the file in base64, `name` what it is called. Null: it cannot be read, which is said; or nobody waits
 * for it any more. `start` starts a worker that reads it, and can be cancelled; without one the page reads it.
 */
export async function openTrace(
  el: HTMLElement,
  encoded: string,
  name: string,
  signal?: AbortSignal,
  start?: () => Worker
): Promise<MountedView | null> {
  try {
    refuseLarge(encoded.length * 0.75);
    const cancelled = new AbortController();
    signal?.addEventListener('abort', () => cancelled.abort());
    const ended = new Promise<null>(resolve =>
      cancelled.signal.addEventListener('abort', () => resolve(null))
    );
    const progress = sayReading(el, start ? () => cancelled.abort() : null);
    await painted();
    const reading = start
      ? WorkerPort.open(start, encoded, name, progress, cancelled.signal).catch(
          (error: unknown) => {
            if (error instanceof NoWorker) {
              return readHere(encoded, name, progress);
            }
            throw error;
          }
        )
      : readHere(encoded, name, progress);
    const port = await Promise.race([reading, ended]);
    if (signal?.aborted) {
      return null;
    }
    if (port === null) {
      say(
        el,
        'status',
        'Reading was cancelled. Close this tab, and open the file again to read it.'
      );
      return null;
    }
    el.replaceChildren();
    const view = openView(el, port, { fill: true, without: WITHOUT });
    const unmount = (): void => {
      view.unmount();
      if (port instanceof WorkerPort) {
        port.dispose();
      }
    };
    return { ...view, unmount };
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

async function readHere(encoded: string, name: string, progress: Progress): Promise<Port> {
  return new TracePort(await readTraceFile(bytesIn(encoded), progress), name);
}

/** Says how much is read, with a button where it can be cancelled. */
function sayReading(el: HTMLElement, cancel: (() => void) | null): Progress {
  say(el, 'status', 'Reading the trace…');
  const said = el.firstElementChild;
  const bar = document.createElement('progress');
  bar.max = 1;
  bar.setAttribute('aria-label', 'Share of the trace that is read');
  bar.style.display = 'block';
  bar.style.margin = '0 2em';
  el.append(bar);
  if (cancel) {
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = 'Cancel';
    button.style.margin = '1em 2em';
    button.addEventListener('click', cancel);
    el.append(button);
  }
  return (share, text) => {
    bar.value = share;
    said?.replaceChildren(`${text}…`);
  };
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
