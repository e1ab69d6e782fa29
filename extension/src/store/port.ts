import type { Request } from '../protocol';

/** Whether messages can get through, and why not. `reason` is shown to the person as it is. */
export interface PortStatus {
  readonly state: 'connecting' | 'open' | 'closed';
  readonly reason?: string;
  /** What comes next is another kernel, or none: what this one told is not to be shown any more. */
  readonly another?: boolean;
}

/**
 * The way to a kernel, whatever carries it: a widget's comm, the side panel's comm, a fixture.
 *
 * A port promises nothing about what arrives: messages are unknown values, the store checks them.
 */
export interface Port {
  send(message: Request): void;
  /** Returns a function that ends the subscription. */
  onMessage(callback: (message: unknown) => void): () => void;
  /** Absent: always open. The callback is called at once with the present status. */
  onStatus?(callback: (status: PortStatus) => void): () => void;
}

/** The kernel of a view is there no more: what is shown stays to be read. */
export function kernelGone(how: string): PortStatus {
  const reason =
    `The kernel ${how}. Run %load_ext vizgrad or import vizgrad, ` +
    'and the cell again, to start a new session.';
  return { state: 'closed', reason };
}

/** What it means that Jupyter says so of a kernel; null where its sessions are still there. */
export function kernelEnded(status: string): PortStatus | null {
  switch (status) {
    case 'restarting':
      return kernelGone('was restarted');
    case 'autorestarting':
      return kernelGone('died and was restarted');
    case 'dead':
      return kernelGone('died');
    default:
      return null;
  }
}

/** Jupyter is trying to connect again, or has given up (`disconnected`). */
export function connectionLost(status: string): PortStatus {
  return status === 'disconnected'
    ? {
        state: 'closed',
        reason: 'The connection to the kernel is lost. Reload the page, or reconnect to the kernel.'
      }
    : {
        state: 'connecting',
        reason: 'The connection to the kernel is lost. Trying again…'
      };
}
