/**
 * What becomes of the kernel behind a widget, where the host lets it be seen: ipywidgets' managers in JupyterLab
 * and Notebook know their document's session, or their kernel. Of other hosts nothing is known, and the view
 * finds out when it is not answered.
 */
import { connectionLost, kernelEnded, kernelGone } from '../store';
import type { PortStatus } from '../store';

interface Signal {
  connect(slot: (sender: unknown, value: unknown) => void): unknown;
  disconnect(slot: (sender: unknown, value: unknown) => void): unknown;
}

/** Calls back at once, and whenever it changes; returns what ends that. */
export function watchKernel(manager: unknown, callback: (status: PortStatus) => void): () => void {
  let gone = false;
  const become = (status: PortStatus, forEver = false): void => {
    if (!gone) {
      gone = forEver; // A comm leads to one kernel: no other will answer on it.
      callback(status);
    }
  };
  become({ state: 'open' });
  const session = at(at(manager, 'context'), 'sessionContext') ?? at(manager, 'kernel');
  const ends = [
    listen(session, 'statusChanged', status => {
      const ended = kernelEnded(String(status));
      if (ended) {
        become(ended, true);
      }
    }),
    listen(session, 'kernelChanged', change => {
      become(kernelGone(at(change, 'newValue') ? 'was replaced' : 'was shut down'), true);
    }),
    listen(session, 'connectionStatusChanged', status => {
      become(status === 'connected' ? { state: 'open' } : connectionLost(String(status)));
    })
  ];
  return () => ends.forEach(end => end());
}

function listen(host: unknown, name: string, heard: (value: unknown) => void): () => void {
  const signal = at(host, name) as Signal | null;
  if (typeof signal?.connect !== 'function') {
    return () => undefined;
  }
  const slot = (_: unknown, value: unknown): void => heard(value);
  signal.connect(slot);
  return () => {
    signal.disconnect(slot);
  };
}

function at(host: unknown, name: string): unknown {
  return typeof host === 'object' && host !== null
    ? ((host as Record<string, unknown>)[name] ?? null)
    : null;
}
