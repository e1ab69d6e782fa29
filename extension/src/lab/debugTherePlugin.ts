/** Buttons in findings: a new cell below that of the finding debugs the backward in which it happened. */
import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { INotebookTracker, NotebookActions } from '@jupyterlab/notebook';
import type { NotebookPanel } from '@jupyterlab/notebook';

import { debugCell, thereOf } from './debugThere';
import type { There } from './debugThere';

/** Is the button in it, or in a view beside it that shows a backward of one of its cells? */
function concerns({ node, content }: NotebookPanel, { cell }: There, button: Node): boolean {
  return node.contains(button) || content.widgets.some(each => each.model.id === cell);
}

/** Makes the cell, below that with the output, else below the one that was watched, and selects it; it is not run. */
function make({ content }: NotebookPanel, { at, cell }: There, output: Element): void {
  const of = content.widgets.findIndex(each => each.model.id === cell);
  const within = content.widgets.findIndex(each => each.node.contains(output));
  const shown = within < 0 ? of : within;
  const watched = content.widgets[of] ?? content.widgets[shown];
  if (shown < 0 || !watched) {
    return;
  }
  const source = debugCell(watched.model.sharedModel.getSource(), at);
  content.activeCellIndex = shown;
  NotebookActions.insertBelow(content);
  content.activeCell?.model.sharedModel.setSource(source);
  const { activeCell } = content;
  // After the cell has its final height, and the notebook has scrolled by itself.
  requestAnimationFrame(() =>
    requestAnimationFrame(() => activeCell?.node.scrollIntoView({ block: 'nearest' }))
  );
}

const plugin: JupyterFrontEndPlugin<void> = {
  id: 'vizgrad:debug-there',
  description: 'Makes a cell that debugs the backward in which a finding happened',
  autoStart: true,
  requires: [INotebookTracker],
  activate: (_: JupyterFrontEnd, notebooks: INotebookTracker) => {
    document.body.classList.add('vizgrad-lab'); // The buttons are shown where something hears them.
    document.body.addEventListener('click', ({ target }) => {
      const there = thereOf(target);
      const panel = there && notebooks.find(each => concerns(each, there, target as Node));
      if (there && panel) {
        make(panel, there, target as Element);
      }
    });
  }
};

export default plugin;
