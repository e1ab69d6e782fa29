/** Points of the curves of a training: a backward that the kernel has kept opens in a tab beside the notebook. */
import { ILabShell } from '@jupyterlab/application';
import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { INotebookTracker } from '@jupyterlab/notebook';
import type { NotebookPanel } from '@jupyterlab/notebook';

import { GraphPanel } from './graphPanel';
import { KeptOffers } from './keptOffers';
import type { Lost } from './keptOffers';
import { goneText, keptOf, OFFERED, withdraw } from './openKept';
import { portOf } from './popOut';
import { widenWhereItIs } from './sideRoom';

/** Said beside the button where there is no kernel that could have it. */
const NO_KERNEL = ' This notebook has no kernel: run the cell again.';

/** Milliseconds that a kernel may take to say whether it keeps a backward: then the tab is to say what is wrong. */
const PATIENCE = 2000;

/** Takes the buttons of a backward out of a notebook. */
function withdrawIn(panel: NotebookPanel, session: string, how: Lost): void {
  if (panel.sessionContext.session?.kernel?.connectionStatus === 'disconnected') {
    return; // It may be there still.
  }
  for (const button of panel.node.querySelectorAll<HTMLElement>('.vg-course-open')) {
    const kept = keptOf(button);
    if (kept?.session === session) {
      withdraw(button, kept.backward, how);
    }
  }
}

const offers = new WeakMap<NotebookPanel, KeptOffers>();

/** Does the kernel of a notebook keep a backward? True, too, where it does not say so in time. */
async function isKept(panel: NotebookPanel, session: string): Promise<boolean> {
  await panel.sessionContext.ready;
  let known = offers.get(panel);
  if (!known) {
    const port = portOf(panel.sessionContext);
    port.wake();
    const lost = (of: string, how: Lost): void => withdrawIn(panel, of, how);
    known = new KeptOffers(port, lost, () => port.wake());
    offers.set(panel, known);
    panel.disposed.connect(() => port.dispose());
  }
  const late = new Promise<boolean>(resolve => setTimeout(() => resolve(true), PATIENCE));
  return Promise.race([known.ask(session), late]);
}

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
      const made = (): GraphPanel => {
        const port = portOf(document, { unknown: goneText(backward) });
        return new GraphPanel(port, {
          id,
          session,
          only: true,
          tab: { label, document },
          headed: shell === null // No tab shows its name there.
        });
      };
      const tab = known && !known.isDisposed ? known : made();
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
      if (!shell) {
        widenWhereItIs(tab);
      }
    };
    document.body.addEventListener(OFFERED, ({ target }) => {
      const kept = keptOf(target);
      const panel = kept && notebooks.find(each => each.node.contains(target as Node));
      if (kept && panel) {
        void isKept(panel, kept.session);
      }
    });
    document.body.addEventListener('click', ({ target }) => {
      const kept = keptOf(target);
      const panel = kept && notebooks.find(each => each.node.contains(target as Node));
      if (!kept || !panel) {
        return;
      }
      if (panel.sessionContext.session?.kernel) {
        void isKept(panel, kept.session).then(
          there => there && open(panel, kept.session, kept.backward)
        );
      } else {
        const said = (target as Element).closest('p')?.querySelector('[role="status"]');
        said?.replaceChildren(NO_KERNEL);
      }
    });
  }
};

export default plugin;
