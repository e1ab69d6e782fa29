/**
 * A port to whichever kernel is in front, over a comm that the panel opens.
 *
 * The kernel knows the comm's target once `vizgrad` is imported there. There is no way to ask whether
 * a target exists: we open, and a kernel that does not know it closes at once. That leaves a line
 * in the kernel's log, so we only knock when there is reason to: on attaching, when the panel is shown,
 * and after a cell that mentions vizgrad.
 */
import type { Kernel, KernelMessage } from '@jupyterlab/services';
import type { JSONObject, JSONValue } from '@lumino/coreutils';
import type { IDisposable } from '@lumino/disposable';
import { Signal } from '@lumino/signaling';

import { connectionLost, kernelEnded, kernelGone } from '../store';
import type { Port, PortStatus } from '../store';
import { beforeMove } from './beforeMoves';
import type { KernelFollower } from './kernelFollower';
import { Untracked } from './untracked';

const TARGET = 'vizgrad';
/** Milliseconds that a subshell has to start. */
const SUBSHELL = 1000;

const NO_KERNEL: PortStatus = {
  state: 'closed',
  reason: 'No kernel: open a notebook or a console.',
  another: true
};
const NOT_PYTHON: PortStatus = {
  state: 'closed',
  reason: 'vizgrad needs a Python kernel.'
};
const NOT_IMPORTED: PortStatus = {
  state: 'closed',
  reason: 'vizgrad is not imported in this kernel. Run `import vizgrad` in a cell.'
};

/** Whose kernel it is: what is in front, or one document. */
export interface Follower {
  readonly kernel: Kernel.IKernelConnection | null;
  /** Is there a document that has, or had, a kernel? */
  readonly hasDocument: boolean;
  readonly changed: KernelFollower['changed'];
}

export interface KernelPortOptions {
  /** Knocks only where vizgrad was in use already, or comes into use: nobody has asked to see anything. */
  readonly waits?: boolean;
  /**
   * Counts as open once the kernel was asked, without its word: a session was displayed by it, so that it knows
   * vizgrad unless it was restarted since, and then it closes at once. What is asked goes along with the open.
   */
  readonly sure?: boolean;
  /** Said, as a sentence, where the kernel does not know vizgrad. */
  readonly unknown?: string;
}

/** A kernel has vizgrad: told to those who wait for that. */
const found = new Signal<object, Kernel.IKernelConnection>({});

export class KernelPort implements Port, IDisposable {
  private readonly listeners = new Set<(message: unknown) => void>();
  private readonly watchers = new Set<(status: PortStatus) => void>();
  private status: PortStatus = NO_KERNEL;
  private kernel: Kernel.IKernelConnection | null = null;
  private comm: Kernel.IComm | null = null;
  private untracked: Untracked | null = null;
  /** What is to be sent over a comm that is being opened; null: it is sent at once. */
  private unsent: object[] | null = null;
  /** A move that may not be made yet, and what is to be sent after it; null: nothing waits. */
  private held: object[] | null = null;
  private awake = false;
  /** The execution that mentions vizgrad. */
  private mentioning: string | null = null;
  isDisposed = false;

  constructor(
    private readonly follower: Follower,
    private readonly options: KernelPortOptions = {}
  ) {
    follower.changed.connect(this.attach, this);
    if (options.waits) {
      found.connect(this.foundIn, this);
    }
  }

  send(message: object): void {
    if (this.held) {
      this.held.push(message);
      return;
    }
    const ready = this.kernel && beforeMove(this.kernel.id, message);
    if (ready) {
      this.hold(message, ready);
    } else {
      this.pass(message);
    }
  }

  /** The id of the kernel that it leads to. */
  get kernelId(): string | undefined {
    return this.kernel?.id;
  }

  /** Does it run something, so that it may answer nobody? */
  get isBusy(): boolean {
    return this.kernel?.status === 'busy';
  }

  private hold(message: object, ready: Promise<unknown>): void {
    const held = (this.held = [message]);
    const go = (): void => {
      if (this.held === held) {
        this.held = null;
        this.pass(message);
        held.slice(1).forEach(each => this.send(each));
      }
    };
    void ready.then(go, go);
  }

  private pass(message: object): void {
    if (this.unsent) {
      this.unsent.push(message);
      return;
    }
    // Requests are JSON by construction; the protocol's types say so more precisely than JSONValue.
    this.untracked?.add(this.comm?.send(message as JSONValue));
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
      if (!this.options.waits) {
        this.knock();
      }
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
      found.disconnect(this.foundIn, this);
      this.detach();
      this.listeners.clear();
      this.watchers.clear();
    }
  }

  private attach(): void {
    const before = this.kernel;
    this.detach();
    if (!this.awake) {
      return;
    }
    this.kernel = this.follower.kernel;
    if (!this.kernel) {
      this.become(before && this.follower.hasDocument ? kernelGone('was shut down') : NO_KERNEL);
      return;
    }
    this.kernel.iopubMessage.connect(this.listenForImport, this);
    this.kernel.statusChanged.connect(this.statusChanged, this);
    this.kernel.connectionStatusChanged.connect(this.connectionChanged, this);
    this.untracked = new Untracked(this.kernel);
    this.become({ state: 'connecting', another: true });
    if (this.options.waits) {
      void this.knockWhereKnown(this.kernel);
    } else {
      this.knock();
    }
  }

  private detach(): void {
    this.kernel?.iopubMessage.disconnect(this.listenForImport, this);
    this.kernel?.statusChanged.disconnect(this.statusChanged, this);
    this.kernel?.connectionStatusChanged.disconnect(this.connectionChanged, this);
    this.hangUp();
    this.untracked?.dispose();
    this.kernel = this.untracked = null;
  }

  private hangUp(): void {
    this.unsent = this.held = null;
    this.drop(this.comm);
    this.comm = null;
  }

  private drop(comm: Kernel.IComm | null): void {
    if (comm && !comm.isDisposed) {
      comm.onClose = () => undefined;
      // One of both: each gives back the subshell that comms of this target share.
      if (this.kernel?.connectionStatus === 'connected') {
        comm.close();
      } else {
        comm.dispose();
      }
    }
  }

  /** Another page, or this one before it was loaded anew, may have found it. */
  private async knockWhereKnown(kernel: Kernel.IKernelConnection): Promise<void> {
    const reply = await kernel.requestCommInfo({ target_name: TARGET }).catch(() => null);
    const known = reply?.content.status === 'ok' && Object.keys(reply.content.comms).length > 0;
    if (known && kernel === this.kernel) {
      this.knock();
    }
  }

  private foundIn(_: object, { id }: Kernel.IKernelConnection): void {
    if (id === this.kernel?.id) {
      this.knock();
    }
  }

  /** Opens the comm if it is not: the kernel has vizgrad, as far as is known. */
  knock(): void {
    const { kernel } = this;
    if (!kernel || this.comm || !this.awake) {
      return;
    }
    this.become({ state: 'connecting' });
    void kernel.info.then(info => {
      if (kernel !== this.kernel || this.comm) {
        return;
      }
      if (info.language_info.name === 'python') {
        this.open(kernel, null);
      } else {
        this.become(NOT_PYTHON);
      }
    });
  }

  /** `before` is a comm of which nobody knows whether it still leads anywhere: it may hold what is shown. */
  private open(kernel: Kernel.IKernelConnection, before: Kernel.IComm | null): void {
    const comm = kernel.createComm(TARGET);
    this.comm = comm;
    comm.onMsg = message => this.deliver(message);
    comm.onClose = () => {
      if (comm === this.comm) {
        this.comm = this.unsent = this.held = null;
        const { unknown } = this.options;
        const notKnown = unknown ? { ...NOT_IMPORTED, reason: unknown } : NOT_IMPORTED;
        this.become(before ? kernelGone('was restarted') : notKnown);
      }
    };
    const sure = this.options.sure === true && before === null;
    void this.opened(comm, kernel.supportsSubshells, sure).then(
      () => {
        if (comm === this.comm) {
          if (!sure) {
            this.become({ state: 'open' });
          }
          this.sendUnsent();
          if (!this.options.waits) {
            found.emit(kernel);
          }
        }
        this.drop(before);
      },
      () => undefined // The kernel died or restarted: statusChanged takes it from there.
    );
  }

  /** Over a subshell, where the kernel has them: the open too would wait there for the cell that runs. */
  private async opened(comm: Kernel.IComm, overSubshell: boolean, sure: boolean): Promise<void> {
    if (overSubshell) {
      const { subshellStarted } = comm as { subshellStarted?: Promise<void> }; // not in IComm yet
      const late = new Promise(resolve => setTimeout(resolve, SUBSHELL));
      await Promise.race([subshellStarted, late]).catch(() => undefined);
    }
    if (comm === this.comm) {
      // The first question goes along with the open; others before the kernel knows the comm would be lost.
      this.unsent = sure ? [] : null;
      if (sure) {
        this.become({ state: 'open' });
      }
      // The answer to an open that is refused is a close, sent before the open's own `done`.
      await comm.open(this.unsent?.shift() as JSONObject | undefined).done;
    }
  }

  private sendUnsent(): void {
    const unsent = this.unsent ?? [];
    this.unsent = null;
    unsent.forEach(message => this.pass(message));
  }

  private deliver(message: KernelMessage.ICommMsgMsg): void {
    this.sendUnsent(); // the kernel knows the comm
    for (const listener of this.listeners) {
      listener(message.content.data);
    }
  }

  private listenForImport(_: unknown, message: KernelMessage.IIOPubMessage): void {
    const id = (message.parent_header as Partial<KernelMessage.IHeader>).msg_id ?? null;
    if (message.header.msg_type === 'execute_input') {
      const { code } = message.content as KernelMessage.IExecuteInputMsg['content'];
      if (/\bvizgrad\b/.test(code)) {
        this.mentioning = id;
      }
    } else if (message.header.msg_type === 'status' && id === this.mentioning) {
      // That of this execution: a kernel may be idle elsewhere while it runs.
      const { execution_state: state } = message.content as KernelMessage.IStatusMsg['content'];
      if (id !== null && state === 'idle') {
        this.mentioning = null;
        this.knock();
      }
    }
  }

  private statusChanged(_: unknown, status: Kernel.Status): void {
    const ended = kernelEnded(status);
    if (ended) {
      this.hangUp(); // A restarted kernel has forgotten every comm, and keeps its connection.
      this.become(ended);
    }
  }

  private connectionChanged(_: unknown, status: Kernel.ConnectionStatus): void {
    const { kernel, comm } = this;
    if (!kernel || !comm) {
      return;
    }
    if (status !== 'connected') {
      this.become(connectionLost(status));
    } else if (this.status.state !== 'open') {
      this.open(kernel, comm); // It may have been restarted meanwhile.
    }
  }

  private become(status: PortStatus): void {
    this.status = status;
    for (const watcher of this.watchers) {
      watcher(status);
    }
  }
}
