/** Outputs of notebooks and consoles: a session that lives in their kernel is shown live. */
import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import type { ISessionContext } from '@jupyterlab/apputils';
import { IConsoleTracker } from '@jupyterlab/console';
import { INotebookTracker } from '@jupyterlab/notebook';
import type { NotebookPanel } from '@jupyterlab/notebook';

import { factory, RANK } from '../mime';
import { LiveOutput } from './liveOutput';

type RenderMime = NotebookPanel['content']['rendermime'];

function render(rendermime: RenderMime, context: ISessionContext): void {
  rendermime.addFactory({ ...factory, createRenderer: () => new LiveOutput(context) }, RANK);
}

const plugin: JupyterFrontEndPlugin<void> = {
  id: 'vizgrad:outputs',
  description: 'Shows sessions in outputs, live while they are in the kernel',
  autoStart: true,
  optional: [INotebookTracker, IConsoleTracker],
  activate: (
    _: JupyterFrontEnd,
    notebooks: INotebookTracker | null,
    consoles: IConsoleTracker | null
  ) => {
    notebooks?.forEach(panel => render(panel.content.rendermime, panel.sessionContext));
    notebooks?.widgetAdded.connect((_, panel) =>
      render(panel.content.rendermime, panel.sessionContext)
    );
    consoles?.forEach(panel => render(panel.console.rendermime, panel.sessionContext));
    consoles?.widgetAdded.connect((_, panel) =>
      render(panel.console.rendermime, panel.sessionContext)
    );
  }
};

export default plugin;
