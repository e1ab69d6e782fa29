/** The panel's widget: mounts the view the first time it is shown, and hosts it from then on. */
import { LabIcon } from '@jupyterlab/ui-components';
import type { Message } from '@lumino/messaging';
import { Widget } from '@lumino/widgets';

import type { MountedView } from '../view';
import type { KernelPort } from './kernelPort';

const icon = new LabIcon({
  name: 'vizgrad:graph',
  svgstr:
    '<svg xmlns="http://www.w3.org/2000/svg" width="16" viewBox="0 0 24 24">' +
    '<g class="jp-icon3" fill="#616161"><circle cx="12" cy="4.5" r="3"/><circle cx="5.5" cy="19" r="3"/>' +
    '<circle cx="18.5" cy="19" r="3"/><path d="M10.6 7 6.2 15.4l1.8.9L12 8.6l4 7.7 1.8-.9L13.4 7z"/></g></svg>'
});

export class GraphPanel extends Widget {
  /** The view, once the panel has been shown and the view is loaded. */
  view: MountedView | null = null;
  private mounting = false;

  constructor(private readonly port: KernelPort) {
    super();
    this.id = 'vizgrad-panel';
    this.title.icon = icon;
    this.title.caption = 'Backward graph';
    this.addClass('vg-panel');
  }

  override dispose(): void {
    if (!this.isDisposed) {
      this.view?.unmount();
      this.port.dispose();
    }
    super.dispose();
  }

  protected override onAfterShow(message: Message): void {
    super.onAfterShow(message);
    void this.mount();
    this.port.wake();
  }

  protected override onAfterHide(message: Message): void {
    super.onAfterHide(message);
    this.port.rest();
  }

  /** The view is a megabyte with its layout engine: not loaded before it is looked at. */
  private async mount(): Promise<void> {
    if (this.mounting) {
      return;
    }
    this.mounting = true;
    const { openView } = await import('../view');
    if (!this.isDisposed) {
      this.view = openView(this.node, this.port, { followNewest: true, fill: true });
    }
  }
}
