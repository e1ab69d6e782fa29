/** The side panel: the debugger of whichever kernel is in front. */
import { ILabShell, ILayoutRestorer } from '@jupyterlab/application';
import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ICommandPalette } from '@jupyterlab/apputils';
import { IConsoleTracker } from '@jupyterlab/console';
import { INotebookTracker } from '@jupyterlab/notebook';

import { GraphPanel } from './graphPanel';
import { KernelFollower } from './kernelFollower';
import { KernelPort } from './kernelPort';
import { addRunCommands, RUN_COMMANDS } from './runCommands';

export const OPEN_PANEL = 'vizgrad:open-panel';

// Every service is optional: Notebook 7 has no ILabShell and no ILayoutRestorer, a bare app no trackers.
const plugin: JupyterFrontEndPlugin<void> = {
  id: 'vizgrad:panel',
  description: 'A side panel that draws and steps the backward graph of the current kernel',
  autoStart: true,
  optional: [INotebookTracker, IConsoleTracker, ICommandPalette, ILayoutRestorer, ILabShell],
  activate: (
    app: JupyterFrontEnd,
    notebooks: INotebookTracker | null,
    consoles: IConsoleTracker | null,
    palette: ICommandPalette | null,
    restorer: ILayoutRestorer | null,
    shell: ILabShell | null
  ) => {
    const follower = new KernelFollower();
    for (const tracker of [notebooks, consoles]) {
      if (tracker) {
        follower.follow(tracker);
      }
    }

    const panel = new GraphPanel(new KernelPort(follower));
    app.shell.add(panel, 'right', { rank: 500, type: 'Backward graph' });
    restorer?.add(panel, panel.id);

    app.commands.addCommand(OPEN_PANEL, {
      label: 'Show the Backward Graph Panel',
      caption: 'Draw and step the backward graph of the current kernel',
      describedBy: { args: { type: 'object', properties: {} } },
      execute: () => {
        if (shell) {
          shell.activateById(panel.id);
        } else {
          app.shell.activateById(panel.id);
        }
      }
    });
    addRunCommands(app.commands, () => panel.view);
    for (const command of [OPEN_PANEL, ...RUN_COMMANDS.map(({ id }) => id)]) {
      palette?.addItem({ command, category: 'vizgrad' });
    }
  }
};

export default plugin;
