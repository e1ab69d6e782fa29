/** Points of the curves of a training: a backward that the kernel has kept opens in a tab beside the notebook. */
import { ILabShell } from '@jupyterlab/application';
import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { INotebookTracker } from '@jupyterlab/notebook';
import type { NotebookPanel } from '@jupyterlab/notebook';

import { GraphPanel } from './graphPanel';
import { keptOf } from './openKept';
import { portOf } from './popOut';

/** Said beside the button where there is no kernel that could have it. */
const NO_KERNEL = ' This notebook has no kernel: run the cell again.';

const plugin: JupyterFrontEndPlugin<void> = {
  id: 'vizgrad:kept',
  description: 'Opens a backward that a watch has kept',
  autoStart: true,
  requires: [INotebookTracker],
  optional: [ILabShell],
  activate: (app: JupyterFrontEnd, notebooks: INotebookTracker, shell: ILabShell | null) => {
    document.body.classList.add('vizgrad-kept'); // The button is shown where something hears it.
    const tabs = new Map<string, GraphPanel>();
    const open = (panel: NotebookPanel, session: string, backward: number): void => {
      const document = panel.sessionContext;
      const label = `Backward ${backward} of ${document.name || 'a kernel'}`;
      const id = `vizgrad-${session.replace(':', '-')}`;
      const known = tabs.get(id);
      const tab =
        known && !known.isDisposed
          ? known
          : new GraphPanel(portOf(document), { id, session, only: true, tab: { label, document } });
      tabs.set(id, tab);
      if (!tab.isAttached) {
        // One beside the notebook, the others with it.
        const other = [...tabs.values()].find(
          each => each.isAttached && each.document === document
        );
        const mode = other ? 'tab-after' : 'split-right';
        const where = { mode, ref: (other ?? panel).id, type: 'Backward graph' } as const;
        app.shell.add(tab, shell ? 'main' : 'right', where);
      }
      (shell ?? app.shell).activateById(id);
    };
    document.body.addEventListener('click', ({ target }) => {
      const kept = keptOf(target);
      const panel = kept && notebooks.find(each => each.node.contains(target as Node));
      if (!kept || !panel) {
        return;
      }
      if (panel.sessionContext.session?.kernel) {
        open(panel, kept.session, kept.backward);
      } else {
        const said = (target as Element).closest('p')?.querySelector('[role="status"]');
        said?.replaceChildren(NO_KERNEL);
      }
    });
  }
};

export default plugin;
