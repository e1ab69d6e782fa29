/**
 * A port to whichever kernel is in front, over a comm that the panel opens.
 *
 * The kernel knows the comm's target once `vizgrad` is imported there. There is no way to ask whether
 * a target exists: we open, and a kernel that does not know it closes at once. That leaves a line
 * in the kernel's log, so we only knock when there is reason to: on attaching, when the panel is shown,
 * and after a cell that mentions vizgrad.
 */
import type { Kernel, KernelMessage } from '@jupyterlab/services';
import type { JSONValue } from '@lumino/coreutils';
import type { IDisposable } from '@lumino/disposable';

import type { Port, PortStatus } from '../store';
import type { KernelFollower } from './kernelFollower';

const TARGET = 'vizgrad';

const NO_KERNEL: PortStatus = {
  state: 'closed',
  reason: 'No kernel: open a notebook or a console.'
};
const NOT_PYTHON: PortStatus = {
  state: 'closed',
  reason: 'vizgrad needs a Python kernel.'
};
const NOT_IMPORTED: PortStatus = {
  state: 'closed',
  reason: 'vizgrad is not imported in this kernel: run import vizgrad'
};

export class KernelPort implements Port, IDisposable {
  private readonly listeners = new Set<(message: unknown) => void>();
  private readonly watchers = new Set<(status: PortStatus) => void>();
  private status: PortStatus = NO_KERNEL;
  private kernel: Kernel.IKernelConnection | null = null;
  private comm: Kernel.IComm | null = null;
  private awake = false;
  private mentioned = false;
  isDisposed = false;

  constructor(private readonly follower: KernelFollower) {
    follower.changed.connect(this.attach, this);
  }

  send(message: object): void {
    // Requests are JSON by construction; the protocol's types say so more precisely than JSONValue.
    this.comm?.send(message as JSONValue);
  }

  onMessage(callback: (message: unknown) => void): () => void {
    this.listeners.add(callback);
    return () => this.listeners.delete(callback);
  }

  onStatus(callback: (status: PortStatus) => void): () => void {
    this.watchers.add(callback);
    callback(this.status);
    return () => this.watchers.delete(callback);
  }

  /** The panel is shown: nothing is opened before, so that a panel never looked at costs nothing. */
  wake(): void {
    this.awake = true;
    if (this.kernel === this.follower.kernel) {
      this.knock();
    } else {
      this.attach();
    }
  }

  /** The panel is hidden: keep an open comm, start no other. */
  rest(): void {
    this.awake = false;
  }

  dispose(): void {
    if (!this.isDisposed) {
      this.isDisposed = true;
      this.follower.changed.disconnect(this.attach, this);
      this.detach();
      this.listeners.clear();
      this.watchers.clear();
    }
  }

  private attach(): void {
    this.detach();
    if (!this.awake) {
      return;
    }
    this.kernel = this.follower.kernel;
    if (!this.kernel) {
      this.become(NO_KERNEL);
      return;
    }
    this.kernel.iopubMessage.connect(this.listenForImport, this);
    this.kernel.statusChanged.connect(this.statusChanged, this);
    this.knock();
  }

  private detach(): void {
    this.kernel?.iopubMessage.disconnect(this.listenForImport, this);
    this.kernel?.statusChanged.disconnect(this.statusChanged, this);
    this.hangUp();
    this.kernel = null;
  }

  private hangUp(): void {
    const comm = this.comm;
    this.comm = null;
    if (comm && !comm.isDisposed) {
      comm.onClose = () => undefined;
      if (this.kernel?.connectionStatus === 'connected') {
        comm.close();
      }
      comm.dispose();
    }
  }

  private knock(): void {
    const kernel = this.kernel;
    if (!kernel || this.comm || !this.awake) {
      return;
    }
    this.become({ state: 'connecting' });
    void kernel.info.then(info => {
      if (kernel !== this.kernel || this.comm) {
        return;
      }
      if (info.language_info.name !== 'python') {
        this.become(NOT_PYTHON);
        return;
      }
      const comm = kernel.createComm(TARGET);
      this.comm = comm;
      comm.onMsg = message => this.deliver(message);
      comm.onClose = () => {
        if (comm === this.comm) {
          this.comm = null;
          this.become(NOT_IMPORTED);
        }
      };
      // The answer to an open that is refused is a close, sent before the open's own `done`.
      void comm.open().done.then(
        () => {
          if (comm === this.comm) {
            this.become({ state: 'open' });
          }
        },
        () => undefined // The kernel died or restarted: statusChanged takes it from there.
      );
    });
  }

  private deliver(message: KernelMessage.ICommMsgMsg): void {
    for (const listener of this.listeners) {
      listener(message.content.data);
    }
  }

  private listenForImport(_: unknown, message: KernelMessage.IIOPubMessage): void {
    if (message.header.msg_type === 'execute_input') {
      const { code } = message.content as KernelMessage.IExecuteInputMsg['content'];
      this.mentioned ||= /\bvizgrad\b/.test(code);
    }
  }

  private statusChanged(_: unknown, status: Kernel.Status): void {
    if (status === 'restarting' || status === 'autorestarting' || status === 'dead') {
      this.hangUp(); // A restarted kernel has forgotten every comm, and keeps its connection.
      this.become(NOT_IMPORTED);
    } else if (status === 'idle' && this.mentioned) {
      this.mentioned = false;
      this.knock();
    }
  }

  private become(status: PortStatus): void {
    this.status = status;
    for (const watcher of this.watchers) {
      watcher(status);
    }
  }
}
