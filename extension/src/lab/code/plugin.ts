/** The debugger in a person's own code: marks in the editors of notebooks. */
import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { INotebookTracker } from '@jupyterlab/notebook';
import type { NotebookPanel } from '@jupyterlab/notebook';

import style from '../../../style/code.raw.css';
import { KernelFollower } from '../kernelFollower';
import { KernelPort } from '../kernelPort';
import { LinesFollower } from './linesFollower';
import { NotebookMarks } from './notebookMarks';

/** By notebook. */
const marked = new WeakMap<NotebookPanel, NotebookMarks>();

/** Sets a breakpoint beside the line with the cursor in a notebook, or takes it away. */
export function toggleAtCursor(panel: NotebookPanel): void {
  marked.get(panel)?.toggleAtCursor();
}

/** Runs until what the line with the cursor recorded is the next; says why, where that cannot be. */
export function runToCursor(panel: NotebookPanel): void {
  void marked.get(panel)?.runToCursor();
}

function follow(panel: NotebookPanel): void {
  const kernel = new KernelFollower();
  const port = new KernelPort(kernel, { waits: true });
  const follower = new LinesFollower(port);
  const marks = new NotebookMarks(panel, follower, () => undefined);
  marked.set(panel, marks);
  kernel.stayWith(panel.sessionContext);
  port.wake();
  panel.disposed.connect(() => {
    marks.dispose();
    follower.dispose();
  });
}

const plugin: JupyterFrontEndPlugin<void> = {
  id: 'vizgrad:code',
  description: 'Marks lines of notebooks with what the backward does there',
  autoStart: true,
  optional: [INotebookTracker],
  activate: (_: JupyterFrontEnd, notebooks: INotebookTracker | null) => {
    if (!notebooks) {
      return;
    }
    const sheet = document.createElement('style');
    sheet.textContent = style;
    document.head.append(sheet);
    notebooks.forEach(follow);
    notebooks.widgetAdded.connect((_, panel) => follow(panel));
  }
};

export default plugin;
