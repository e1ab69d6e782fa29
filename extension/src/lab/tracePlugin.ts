/** Files of traces, opened by a double click: shown and stepped without a kernel. */
import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ABCWidgetFactory, DocumentWidget } from '@jupyterlab/docregistry';
import type { DocumentRegistry } from '@jupyterlab/docregistry';
import type { Message } from '@lumino/messaging';
import { Widget } from '@lumino/widgets';

import type { MountedView } from '../view';
import { icon } from './graphPanel';

export const FACTORY = 'vizgrad trace';
const TYPE = 'vgtrace';

type Context = DocumentRegistry.Context;

/** The view of one file, drawn when it has been read, and again when it was written anew. */
export class TraceContent extends Widget {
  private view: MountedView | null = null;
  /** Ends the reading of what is not to be shown any more. */
  private reading = new AbortController();

  constructor(private readonly context: Context) {
    super();
    this.addClass('vg-panel');
    void context.ready.then(() => this.show_());
    context.model.contentChanged.connect(this.show_, this);
  }

  override dispose(): void {
    if (!this.isDisposed) {
      this.context.model.contentChanged.disconnect(this.show_, this);
      this.reading.abort();
      this.view?.unmount();
      this.view = null;
    }
    super.dispose();
  }

  protected override onActivateRequest(message: Message): void {
    super.onActivateRequest(message);
    this.node.tabIndex = -1;
    this.node.focus();
  }

  private show_(): void {
    void import('../trace/open').then(async ({ openTrace }) => {
      if (this.isDisposed || !this.context.isReady) {
        return;
      }
      this.reading.abort();
      this.view?.unmount();
      this.view = null;
      const reading = new AbortController();
      this.reading = reading;
      const name = this.context.path.split('/').at(-1) ?? '';
      const text = this.context.model.toString();
      const view = await openTrace(this.node, text, name, reading.signal, startWorker);
      if (reading.signal.aborted) {
        view?.unmount();
      } else {
        this.view = view;
      }
    });
  }
}

/** Another file of the labextension: its builder looks for exactly this form. */
const startWorker = (): Worker => new Worker(new URL('../trace/worker.js', import.meta.url));

class TraceFactory extends ABCWidgetFactory<DocumentWidget<TraceContent>> {
  protected createNewWidget(context: Context): DocumentWidget<TraceContent> {
    const widget = new DocumentWidget({ content: new TraceContent(context), context });
    widget.title.icon = icon;
    return widget;
  }
}

const plugin: JupyterFrontEndPlugin<void> = {
  id: 'vizgrad:traces',
  description: 'Opens files of traces (.vgtrace) without a kernel',
  autoStart: true,
  activate: ({ docRegistry }: JupyterFrontEnd) => {
    docRegistry.addFileType({
      name: TYPE,
      displayName: 'vizgrad trace',
      extensions: ['.vgtrace'],
      mimeTypes: ['application/vnd.vizgrad.trace+zip'],
      fileFormat: 'base64',
      contentType: 'file',
      icon
    });
    const factory = new TraceFactory({
      name: FACTORY,
      label: 'vizgrad trace',
      modelName: 'base64',
      fileTypes: [TYPE],
      defaultFor: [TYPE],
      readOnly: true
    });
    // Its types leave open whether an unknown provider of contents is absent or undefined.
    docRegistry.addWidgetFactory(factory as unknown as DocumentRegistry.WidgetFactory);
  }
};

export default plugin;
