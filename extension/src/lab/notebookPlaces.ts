/** Shows the line that a view tells of: in the cell that ran it, wherever that is by now, or of a file. */
import { Notification } from '@jupyterlab/apputils';
import type { ISessionContext } from '@jupyterlab/apputils';
import { NotebookActions } from '@jupyterlab/notebook';
import type { INotebookTracker, Notebook, NotebookPanel } from '@jupyterlab/notebook';

import { ASK_PLACE } from '../view/host';
import type { PlaceAsked } from '../view/host';
import { showFile } from './code/plugin';

type Cell = Notebook['widgets'][number];

/** Milliseconds that the line is marked. */
const MARKED = 1600;

export function showPlaces(
  notebooks: INotebookTracker,
  documentOf: (view: Element) => ISessionContext | null
): void {
  /** By notebook: the ids of cells, by the numbers under which they ran. One that runs again keeps its old ones. */
  const ran = new WeakMap<Notebook, Map<string, string>>();
  NotebookActions.executed.connect((_, { notebook, cell }) => {
    const number = numberOf(cell);
    if (number !== null) {
      const cells = ran.get(notebook) ?? new Map<string, string>();
      ran.set(notebook, cells.set(`In [${number}]`, cell.model.id));
    }
  });
  document.addEventListener(ASK_PLACE, event => {
    const { cell: name, line, file } = (event as CustomEvent<PlaceAsked>).detail;
    const context = documentOf(event.target as Element);
    const panel = notebooks.find(each => each.sessionContext === context);
    if (panel && file !== undefined) {
      void showFile(panel, file, line).then(isShown => {
        if (!isShown) {
          Notification.warning(`The marked session has no node recorded in ${file}.`);
        }
      });
    } else if (panel) {
      const cells = panel.content.widgets;
      const id = ran.get(panel.content)?.get(name);
      const found =
        cells.find(({ model }) => model.id === id) ??
        cells.find(cell => `In [${numberOf(cell)}]` === name);
      if (found) {
        void show(panel, found, line);
      }
    }
  });
}

/** Of the execution; null: it has not run, or is no code. */
function numberOf({ model }: Cell): number | null {
  return (model as { executionCount?: number | null }).executionCount ?? null;
}

async function show({ content }: NotebookPanel, cell: Cell, line: number): Promise<void> {
  content.activeCellIndex = content.widgets.indexOf(cell);
  await content.scrollToCell(cell, 'auto');
  await cell.ready;
  cell.editor?.setCursorPosition({ line: line - 1, column: 0 });
  const drawn = cell.node.querySelectorAll<HTMLElement>('.cm-line')[line - 1];
  drawn?.animate(
    [{ backgroundColor: 'rgb(255 193 7 / 55%)' }, { backgroundColor: 'rgb(255 193 7 / 0%)' }],
    { duration: MARKED, easing: 'ease-in' }
  );
}
