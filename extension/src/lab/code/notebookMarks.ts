/** Marks in the cells of one notebook: each in the cell that ran it, known by its id, wherever it stands by now. */
import type { CodeMirrorEditor } from '@jupyterlab/codemirror';
import type { Notebook, NotebookPanel } from '@jupyterlab/notebook';
import type { IDisposable } from '@lumino/disposable';
import type { EditorView } from '@codemirror/view';

import type { LinesFollower } from './linesFollower';
import { mark, marking } from './marks';
import { isSame, marksIn } from './program';
import type { FileMarks, Program } from './program';

type Cell = Notebook['widgets'][number];

export class NotebookMarks implements IDisposable {
  /** Editors that can be marked, with the text of the program that they show; null: none. */
  private readonly editors = new WeakMap<EditorView, FileMarks | null>();
  /** By the number of its text. */
  private marks = new Map<number, FileMarks>();
  private shown: Program | null = null;
  isDisposed = false;

  constructor(
    private readonly panel: NotebookPanel,
    private readonly follower: LinesFollower,
    private readonly goes: (marks: FileMarks, line: number) => void
  ) {
    follower.changed.connect(this.refresh, this);
    panel.content.cellInViewportChanged.connect(this.cellSeen, this);
    panel.content.modelContentChanged.connect(this.refresh, this);
    this.refresh();
  }

  dispose(): void {
    if (!this.isDisposed) {
      this.isDisposed = true;
      this.follower.changed.disconnect(this.refresh, this);
      this.panel.content.cellInViewportChanged.disconnect(this.cellSeen, this);
      this.panel.content.modelContentChanged.disconnect(this.refresh, this);
    }
  }

  /** The cell that ran a text of the program, if it is there. */
  cellOf(file: number): Cell | null {
    const { program } = this.follower;
    const code = program?.files[file];
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

  private cellSeen(_: unknown, cell: Cell): void {
    void cell.ready.then(() => this.refresh());
  }

  private refresh(): void {
    const { program } = this.follower;
    if (this.isDisposed || this.panel.isDisposed) {
      return;
    }
    if (program !== this.shown) {
      this.shown = program;
      this.marks = new Map(
        program?.files.map((_, file) => [file, marksIn(program, file)] as const) ?? []
      );
    }
    const wanted = new Map<Cell, FileMarks>();
    for (const [file, marks] of this.marks) {
      const cell = this.cellOf(file);
      if (cell) {
        // Of several texts that one cell has run the later one is meant, where that recorded anything.
        wanted.set(cell, better(wanted.get(cell), marks, cell));
      }
    }
    for (const cell of this.panel.content.widgets) {
      this.show(cell, wanted.get(cell) ?? null);
    }
  }

  private show(cell: Cell, marks: FileMarks | null): void {
    const view = (cell.editor as CodeMirrorEditor | null)?.editor;
    if (!view) {
      return;
    }
    let known = this.editors.get(view);
    if (known === undefined) {
      if (!marks) {
        return;
      }
      (cell.editor as CodeMirrorEditor).injectExtension(
        marking((where, line) => {
          const its = this.editors.get(where);
          if (its) {
            this.goes(its, line);
          }
        })
      );
      known = null;
    }
    if (known !== marks && !(known && marks && isEqual(known, marks))) {
      mark(view, marks);
    }
    this.editors.set(view, marks);
  }
}

/** Of the execution; null: it has not run, or is no code. */
function numberOf({ model }: Cell): number | null {
  return (model as { executionCount?: number | null }).executionCount ?? null;
}

/** The one whose text stands in the cell now, or else the one told last. */
function better(one: FileMarks | undefined, other: FileMarks, cell: Cell): FileMarks {
  const now = cell.model.sharedModel.getSource();
  return one?.text != null && isSame(one.text, now) ? one : other;
}

function isEqual(one: FileMarks, other: FileMarks): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
