/** A panel with the view, beside the notebook or in a tab: mounts it the first time it is shown. */
import type { ISessionContext } from '@jupyterlab/apputils';
import { LabIcon } from '@jupyterlab/ui-components';
import type { Message } from '@lumino/messaging';
import { Widget } from '@lumino/widgets';

import type { CommandName } from '../protocol';
import type { MountedView } from '../view';
import type { KernelPort } from './kernelPort';

export const icon = new LabIcon({
  name: 'vizgrad:graph',
  svgstr:
    '<svg xmlns="http://www.w3.org/2000/svg" width="16" viewBox="0 0 24 24">' +
    '<g class="jp-icon3" fill="#616161"><circle cx="12" cy="4.5" r="3"/><circle cx="5.5" cy="19" r="3"/>' +
    '<circle cx="18.5" cy="19" r="3"/><path d="M10.6 7 6.2 15.4l1.8.9L12 8.6l4 7.7 1.8-.9L13.4 7z"/></g></svg>'
});

const HEAD = {
  font: '600 13px var(--jp-ui-font-family, sans-serif)',
  margin: '0',
  padding: '6px 10px',
  overflow: 'hidden',
  textOverflow: 'ellipsis',
  whiteSpace: 'nowrap'
};

export interface PanelOptions {
  readonly id: string;
  /** The session to begin with; without one the newest. */
  readonly session?: string | null;
  /** Only that one is shown, whatever else is opened. */
  readonly only?: boolean;
  /** In a tab: its name, and the document that it stays with. */
  readonly tab?: { readonly label: string; readonly document: ISessionContext };
  /** The name stands above the view. */
  readonly headed?: boolean;
}

export class GraphPanel extends Widget {
  /** The view, once the panel has been shown and the view is loaded. */
  view: MountedView | null = null;
  private mounting = false;
  private readonly waiting: ((view: MountedView) => void)[] = [];

  constructor(
    private readonly port: KernelPort,
    private readonly options: PanelOptions
  ) {
    super();
    this.id = options.id;
    this.title.icon = icon;
    if (options.tab) {
      this.title.label = options.tab.label;
      this.title.closable = true;
    }
    this.title.caption = 'Backward graph';
    this.addClass('vg-panel');
  }

  get document(): ISessionContext | null {
    return this.options.tab?.document ?? null;
  }

  /** Does something with the view: at once, or when it has been drawn first. */
  withView(act: (view: MountedView) => void): void {
    if (this.view) {
      act(this.view);
    } else {
      this.waiting.push(act);
    }
  }

  override dispose(): void {
    if (!this.isDisposed) {
      this.view?.unmount();
      this.port.dispose();
    }
    super.dispose();
  }

  protected override onAfterAttach(message: Message): void {
    super.onAfterAttach(message);
    this.look(); // A tab is attached as it is shown, and not told so again.
  }

  protected override onAfterShow(message: Message): void {
    super.onAfterShow(message);
    this.look();
  }

  protected override onAfterHide(message: Message): void {
    super.onAfterHide(message);
    this.port.rest();
  }

  private look(): void {
    if (this.isVisible) {
      void this.mount();
      this.port.wake();
    }
  }

  /** Where the view is drawn: below the name, where that has to be written. */
  private body(): HTMLElement {
    const { headed = false, tab } = this.options;
    if (!headed || !tab) {
      return this.node;
    }
    const [head, body] = [document.createElement('h2'), document.createElement('div')];
    head.textContent = tab.label;
    Object.assign(head.style, HEAD);
    Object.assign(body.style, { flex: '1', minHeight: '0' });
    Object.assign(this.node.style, { display: 'flex', flexDirection: 'column' });
    this.node.append(head, body);
    return body;
  }

  /** The view is a megabyte with its layout engine: not loaded before it is looked at. */
  private async mount(): Promise<void> {
    if (this.mounting) {
      return;
    }
    this.mounting = true;
    const { openView } = await import('../view');
    if (!this.isDisposed) {
      const { session = null, only = false, tab } = this.options;
      const without: CommandName[] = tab ? ['pop-out'] : [];
      const options = { followNewest: !only, fill: true, session, without };
      const view = openView(this.body(), this.port, options);
      this.view = view;
      this.waiting.splice(0).forEach(act => act(view));
    }
  }
}
