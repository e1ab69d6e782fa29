import type { Request } from '../protocol';

/** Whether messages can get through, and why not. `reason` is shown to the person as it is. */
export interface PortStatus {
  readonly state: 'connecting' | 'open' | 'closed';
  readonly reason?: string;
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
