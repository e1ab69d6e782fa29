/** Which kernel is in front: that of the notebook or console last looked at. */
import type { ISessionContext } from '@jupyterlab/apputils';
import type { Kernel } from '@jupyterlab/services';
import { Signal } from '@lumino/signaling';
import type { ISignal } from '@lumino/signaling';

/** A document with a kernel, as both the notebook's and the console's panel are. */
interface Panel {
  readonly sessionContext: ISessionContext;
}

interface Tracker {
  readonly currentWidget: Panel | null;
  readonly currentChanged: ISignal<unknown, Panel | null>;
}

export class KernelFollower {
  private readonly _changed = new Signal<this, Kernel.IKernelConnection | null>(this);
  private context: ISessionContext | null = null;
  private announced: Kernel.IKernelConnection | null = null;

  /** Emitted with the kernel to attach to, also when the same document gets another kernel. */
  get changed(): ISignal<this, Kernel.IKernelConnection | null> {
    return this._changed;
  }

  get kernel(): Kernel.IKernelConnection | null {
    return this.context?.session?.kernel ?? null;
  }

  /** The kernel of this document, whichever is in front. */
  stayWith(context: ISessionContext): void {
    void this.look(context);
  }

  get document(): ISessionContext | null {
    return this.context;
  }

  /** Is there a document that has, or had, a kernel? */
  get hasDocument(): boolean {
    return this.context !== null && !this.context.isDisposed;
  }

  follow(tracker: Tracker): void {
    tracker.currentChanged.connect((_, panel) => {
      // A tracker whose last document closes says null; the other tracker may still have one.
      if (panel) {
        void this.look(panel.sessionContext);
      } else if (this.context?.isDisposed ?? true) {
        this.context = null;
        this.announce();
      }
    });
    if (tracker.currentWidget) {
      void this.look(tracker.currentWidget.sessionContext);
    }
  }

  private async look(context: ISessionContext): Promise<void> {
    if (context === this.context) {
      return;
    }
    this.context?.kernelChanged.disconnect(this.announce, this);
    this.context = context;
    context.kernelChanged.connect(this.announce, this);
    this.announce();
    await context.ready;
    if (context === this.context) {
      this.announce();
    }
  }

  private announce(): void {
    if (this.kernel !== this.announced) {
      this.announced = this.kernel;
      this._changed.emit(this.kernel);
    }
  }
}
