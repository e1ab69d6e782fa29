/** The side panel, the commands, and what views are told of the page they are in. */
import { ILabShell, ILayoutRestorer } from '@jupyterlab/application';
import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ICommandPalette } from '@jupyterlab/apputils';
import type { ISessionContext } from '@jupyterlab/apputils';
import { IConsoleTracker } from '@jupyterlab/console';
import { INotebookTracker } from '@jupyterlab/notebook';
import { ISettingRegistry } from '@jupyterlab/settingregistry';

import { COMMANDS } from '../protocol';
import { askView } from '../view/host';
import type { Asked } from '../view/host';
import { atCursor } from './code/plugin';
import { addCommands, idOf, Views } from './commands';
import { GraphPanel } from './graphPanel';
import { KernelFollower } from './kernelFollower';
import { KernelPort } from './kernelPort';
import { showPlaces } from './notebookPlaces';
import { offerHost } from './offer';
import { widenOnce } from './sideRoom';
import { documentOf, popOut, popOutWindow } from './popOut';
import { giveRoomToTeach } from './teachRoom';

const PLUGIN = 'vizgrad:panel';

// Every service is optional: Notebook 7 has no ILabShell and no ILayoutRestorer, a bare app no trackers.
const plugin: JupyterFrontEndPlugin<void> = {
  id: PLUGIN,
  description: 'A side panel that draws and steps the backward graph of the current kernel',
  autoStart: true,
  optional: [
    INotebookTracker,
    IConsoleTracker,
    ICommandPalette,
    ILayoutRestorer,
    ILabShell,
    ISettingRegistry
  ],
  activate: (
    app: JupyterFrontEnd,
    notebooks: INotebookTracker | null,
    consoles: IConsoleTracker | null,
    palette: ICommandPalette | null,
    restorer: ILayoutRestorer | null,
    shell: ILabShell | null,
    settings: ISettingRegistry | null
  ) => {
    const follower = new KernelFollower();
    for (const tracker of [notebooks, consoles]) {
      if (tracker) {
        follower.follow(tracker);
      }
    }

    const panel = new GraphPanel(new KernelPort(follower), { id: 'vizgrad-panel' });
    app.shell.add(panel, 'right', { rank: 500, type: 'Backward graph' });
    restorer?.add(panel, panel.id);

    const widen = shell ? widenOnce(shell, panel) : (): void => undefined;
    if (shell) {
      giveRoomToTeach(shell);
    }
    const open = (): void => {
      (shell ?? app.shell).activateById(panel.id);
      widen();
    };
    const views = new Views(panel.node);
    const cursor = (what: Parameters<typeof atCursor>[0]) => (): void =>
      atCursor(what, app.shell.currentWidget, notebooks?.currentWidget ?? null);
    // Without a view the panel is opened: it needs no session.
    const memory = (): void => {
      if (views.current) {
        askView(views.current, 'memory');
      } else {
        open();
        panel.withView(({ store }) => store.showHeap());
      }
    };
    addCommands(app.commands, views, {
      'open-panel': open,
      memory,
      ...(notebooks
        ? {
            'toggle-line-breakpoint': cursor('toggleAtCursor'),
            'choose-line-node': cursor('chooseAtCursor'),
            'show-value': cursor('valueAtCursor'),
            'run-to-cursor': cursor('runToCursor')
          }
        : {})
    });
    for (const { name } of COMMANDS) {
      palette?.addItem({ command: idOf(name), category: 'vizgrad' });
    }
    // A view in a tab or a window asks like any other: its document is then the one in front.
    const withDocument =
      (act: (document: ISessionContext, asked: Asked) => void) => (asked: Asked, view: Element) => {
        const document = documentOf(app, view, follower);
        if (document) {
          act(document, asked);
        }
      };
    const does = {
      'open-panel': open,
      ...(notebooks ? { 'run-to-cursor': cursor('runToCursor') } : {}),
      ...(shell
        ? { 'pop-out': withDocument((document, asked) => popOut(shell, document, asked)) }
        : {}),
      'open-window': withDocument((document, asked) =>
        popOutWindow(document, asked, page => views.listen(page))
      )
    };
    offerHost(app, settings, PLUGIN, does, notebooks !== null);
    if (notebooks) {
      showPlaces(notebooks, view => documentOf(app, view, follower));
    }
  }
};

export default plugin;
