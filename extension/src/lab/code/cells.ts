/** Marks in the cells of one notebook: each in the cell that ran it, known by its id, wherever it stands by now. */
import { Notification } from '@jupyterlab/apputils';
import type { CodeMirrorEditor } from '@jupyterlab/codemirror';
import type { Notebook, NotebookPanel } from '@jupyterlab/notebook';
import type { IDisposable } from '@lumino/disposable';
import type { EditorView } from '@codemirror/view';

import { MarkedEditor } from './markedEditor';
import type { AtCursor } from './marks';
import type { CodeOwner } from './owner';
import { focusChoice } from './panels';
import { isSame } from './program';
import type { FileMarks } from './program';
import { Hand, nextFrame } from './sight';
import type { Why } from './sight';
import { showAtCursor } from './valueTip';

const noEditor = Promise.resolve(false);

type Cell = Notebook['widgets'][number];

export class Cells implements AtCursor, IDisposable {
  private readonly editors = new WeakMap<EditorView, MarkedEditor>();
  /** The text of the program that is marked in a cell. */
  private files = new Map<Cell, number>();
  private readonly hand: Hand;
  isDisposed = false;

  constructor(
    private readonly panel: NotebookPanel,
    private readonly code: CodeOwner
  ) {
    const { content } = panel;
    this.hand = new Hand(content.node);
    content.cellInViewportChanged.connect(this.cellSeen, this);
    content.modelContentChanged.connect(this.refresh, this);
    content.activeCellChanged.connect(this.cellLeft, this);
  }

  dispose(): void {
    if (!this.isDisposed) {
      this.isDisposed = true;
      const { content } = this.panel;
      content.cellInViewportChanged.disconnect(this.cellSeen, this);
      content.modelContentChanged.disconnect(this.refresh, this);
      content.activeCellChanged.disconnect(this.cellLeft, this);
      this.hand.dispose();
    }
  }

  /** The cell that ran a text of the program, if it is there. */
  cellOf(file: number): Cell | null {
    const code = this.code.program?.files[file];
    if (!code || code.text === '') {
      return null;
    }
    const cells = this.panel.content.widgets;
    if (code.cell !== '') {
      return cells.find(({ model }) => model.id === code.cell) ?? null;
    }
    // A kernel that was not told ids: the number must be the same, and the text.
    const found = cells.find(cell => `In [${numberOf(cell)}]` === code.name);
    return found && isSame(found.model.sharedModel.getSource(), code.text) ? found : null;
  }

  refresh(): void {
    if (this.isDisposed || this.panel.isDisposed) {
      return;
    }
    const files = new Map<Cell, number>();
    for (const [file, marks] of this.code.marks) {
      const cell = this.cellOf(file);
      if (cell) {
        // Of several texts that a cell has run, the one that stands there; else the one told last.
        const other = this.code.marks.get(files.get(cell) ?? -1);
        if (!other || !isShown(other, cell)) {
          files.set(cell, file);
        }
        if (isShown(marks, cell)) {
          this.code.stops.meet(cell.model.id, marks);
        }
      }
    }
    this.files = files;
    for (const cell of this.panel.content.widgets) {
      this.tell(cell);
    }
  }

  /** Brings a line of a text into sight, if it stands in a cell as it ran. */
  async show(file: number, line: number, why: Why): Promise<void> {
    const { panel, hand } = this;
    const cell = this.cellOf(file);
    const marks = this.code.marks.get(file);
    if (!cell || !marks || !panel.isVisible || !isShown(marks, cell)) {
      return;
    }
    // A notebook may leave what is far away out of the page.
    if (!cell.editor?.host.isConnected) {
      if (!hand.lets(Number.POSITIVE_INFINITY, why)) {
        return;
      }
      await panel.content.scrollToItem(panel.content.widgets.indexOf(cell));
      await cell.ready;
      await nextFrame();
      this.tell(cell);
    }
    const view = (cell.editor as CodeMirrorEditor | null)?.editor;
    if (view) {
      this.editors.get(view)?.show(line, by => hand.lets(by, why));
    }
  }

  toggleAtCursor(): void {
    const { activeCell: cell } = this.panel.content;
    if (cell?.model.type === 'code' && cell.editor) {
      this.toggle(cell, cell.editor.getCursorPosition().line + 1);
    }
  }

  chooseAtCursor(): void {
    const editor = this.panel.content.activeCell?.editor as CodeMirrorEditor | null | undefined;
    if (editor) {
      focusChoice(editor.editor);
    }
  }

  runToCursor(): void {
    const { activeCell: cell } = this.panel.content;
    if (cell?.model.type === 'code' && cell.editor) {
      void this.code.runTo(() => this.marksIn(cell), cell.editor.getCursorPosition().line + 1);
    } else {
      Notification.info('Put the cursor on a line of a code cell.');
    }
  }

  valueAtCursor(): void {
    const editor = this.panel.content.activeCell?.editor as CodeMirrorEditor | null | undefined;
    void (editor ? showAtCursor(editor.editor, each => this.code.valueOf(each)) : noEditor).then(
      shown => shown || this.code.noValue()
    );
  }

  private toggle(cell: Cell, line: number): void {
    this.code.stops.toggle(cell.model.id, line, this.marksIn(cell));
    this.code.refresh();
  }

  /** What is marked in a cell; null: nothing, it may hold another text. */
  private marksIn(cell: Cell): FileMarks | null {
    const marks = this.code.marks.get(this.files.get(cell) ?? -1);
    return marks && isShown(marks, cell) ? marks : null;
  }

  private cellSeen(_: unknown, cell: Cell): void {
    void cell.ready.then(() => this.refresh());
  }

  private cellLeft(_: unknown, cell: Cell | null): void {
    const { choiceIn } = this.code;
    if (
      cell &&
      choiceIn !== null &&
      this.cellOf(choiceIn) !== null &&
      this.cellOf(choiceIn) !== cell
    ) {
      this.code.goes(null, 0);
    }
  }

  private tell(cell: Cell): void {
    const editor = cell.editor as CodeMirrorEditor | null;
    if (!editor) {
      return;
    }
    const told = this.code.told(this.files.get(cell) ?? null, cell.model.id);
    let marked = this.editors.get(editor.editor);
    if (!marked) {
      if (!told.marks && told.wished.size === 0) {
        return;
      }
      marked = new MarkedEditor(editor, {
        goes: (_, line) => this.code.goes(this.files.get(cell) ?? null, line),
        toggles: (_, line) => this.toggle(cell, line),
        chooses: (_, node) => this.code.chooses(node),
        valueOf: expression => this.code.valueOf(expression),
        shifts: (_, wished) => {
          this.code.stops.move(cell.model.id, wished);
          queueMicrotask(() => this.refresh());
        }
      });
      this.editors.set(editor.editor, marked);
    }
    marked.tell(told);
  }
}

/** Is it the text that the cell holds now? */
function isShown({ text }: FileMarks, cell: Cell): boolean {
  return text === null || isSame(text, cell.model.sharedModel.getSource());
}

/** Of the execution; null: it has not run, or is no code. */
function numberOf({ model }: Cell): number | null {
  return (model as { executionCount?: number | null }).executionCount ?? null;
}
