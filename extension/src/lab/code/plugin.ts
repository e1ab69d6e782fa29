/** The debugger in a person's own code: marks in the editors of notebooks, and in the files that they ran. */
import { ILabShell } from '@jupyterlab/application';
import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { IEditorServices } from '@jupyterlab/codeeditor';
import { INotebookTracker } from '@jupyterlab/notebook';
import type { NotebookPanel } from '@jupyterlab/notebook';
import type { Widget } from '@lumino/widgets';

import style from '../../../style/code.raw.css';
import { accompany } from '../beforeMoves';
import { KernelFollower } from '../kernelFollower';
import { KernelPort } from '../kernelPort';
import { LinesFollower } from './linesFollower';
import type { AtCursor } from './marks';
import { NotebookCode } from './notebookCode';
import type { CodeOwner } from './owner';
import { mainArea } from './shell';
import { Sources } from './sources';
import { SourceView } from './sourceView';

/** By notebook. */
const codes = new WeakMap<NotebookPanel, NotebookCode>();

/** Does something about the line with the cursor: of a view of a file if that is in front, else of the notebook. */
export function atCursor(
  what: keyof AtCursor,
  front: Widget | null,
  panel: NotebookPanel | null
): void {
  const editing = front instanceof SourceView ? front : panel && codes.get(panel)?.cells;
  editing?.[what]();
}

/** Shows a line of a file; false if no node of the notebook's session was recorded in it. */
export async function showFile(panel: NotebookPanel, path: string, line: number): Promise<boolean> {
  return (await codes.get(panel)?.showFile(path, line)) ?? false;
}

const plugin: JupyterFrontEndPlugin<void> = {
  id: 'vizgrad:code',
  description:
    'Marks lines of notebooks and of the files they ran with what the backward does there',
  autoStart: true,
  optional: [INotebookTracker, IEditorServices, ILabShell],
  activate: (
    app: JupyterFrontEnd,
    notebooks: INotebookTracker | null,
    services: IEditorServices | null,
    lab: ILabShell | null
  ) => {
    if (!notebooks) {
      return;
    }
    const sheet = document.createElement('style');
    sheet.textContent = style;
    document.head.append(sheet);
    const area = mainArea(app.shell, lab);
    const follow = (panel: NotebookPanel): void => {
      const kernel = new KernelFollower();
      const port = new KernelPort(kernel, { waits: true });
      const follower = new LinesFollower(port);
      const sources = services && ((owner: CodeOwner) => new Sources(owner, services, area));
      const code = new NotebookCode(panel, follower, sources);
      codes.set(panel, code);
      kernel.stayWith(panel.sessionContext);
      port.wake();
      const end = accompany({
        get kernelId() {
          return port.kernelId;
        },
        ready: session => follower.ready(session)
      });
      panel.disposed.connect(() => {
        end();
        code.dispose();
        follower.dispose();
      });
    };
    notebooks.forEach(follow);
    notebooks.widgetAdded.connect((_, panel) => follow(panel));
  }
};

export default plugin;
