/** Marks in the cells of one notebook: each in the cell that ran it, known by its id, wherever it stands by now. */
import { Notification } from '@jupyterlab/apputils';
import type { CodeMirrorEditor } from '@jupyterlab/codemirror';
import type { Notebook, NotebookPanel } from '@jupyterlab/notebook';
import type { IDisposable } from '@lumino/disposable';
import type { EditorView } from '@codemirror/view';

import type { LinesFollower } from './linesFollower';
import { mark, marking } from './marks';
import type { Told } from './marks';
import { isSame, marksIn } from './program';
import type { FileMarks, LineText, Program } from './program';
import { Wishes } from './wishes';

type Cell = Notebook['widgets'][number];

export class NotebookMarks implements IDisposable {
  /** Editors that can be marked, with their cells, and what they were told. */
  private readonly editors = new WeakMap<EditorView, { readonly cell: Cell; told: Told }>();
  private readonly wishes = new Wishes();
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

  /** Sets a breakpoint beside the line with the cursor, or takes it away. */
  toggleAtCursor(): void {
    const { activeCell: cell } = this.panel.content;
    if (cell?.model.type === 'code' && cell.editor) {
      this.toggle(cell, cell.editor.getCursorPosition().line + 1);
    }
  }

  /** Runs until what the line with the cursor recorded is the next. */
  async runToCursor(): Promise<void> {
    const { activeCell: cell } = this.panel.content;
    if (cell?.model.type !== 'code' || !cell.editor) {
      return;
    }
    const at = cell.editor.getCursorPosition().line + 1;
    const marks = this.marksOf(cell);
    const known = marks && isShown(marks, cell) && marks.lines.find(({ line }) => line === at);
    const { program } = this.follower;
    const line = known ? program?.lines[known.number] : undefined;
    const code = line && program?.files[line.file];
    if (!program || !code) {
      Notification.info(`The session that was moved last has recorded nothing at line ${at}.`);
      return;
    }
    const { session } = program;
    await this.follower.ask({ type: 'run_to_line', session, file: code.file, line: line.named });
  }

  private toggle(cell: Cell, line: number): void {
    const marks = this.marksOf(cell);
    const known = marks && isShown(marks, cell) && marks.lines.find(each => each.line === line);
    const wanted = known ? known.stop === 'none' : !this.wishes.of(cell.model.id).has(line);
    this.wishes.set(cell.model.id, line, wanted);
    if (known) {
      this.setStop(known, wanted);
    }
    this.refresh();
  }

  private setStop({ number }: LineText, enabled: boolean): void {
    const { program } = this.follower;
    const line = program?.lines[number];
    const code = line && program.files[line.file];
    if (code) {
      void this.follower.ask({
        type: 'set_line_breakpoint',
        session: program.session,
        file: code.file,
        line: line.named,
        enabled,
        condition: '',
        hits: 0
      });
    }
  }

  private marksOf(cell: Cell): FileMarks | null {
    let found: FileMarks | undefined;
    for (const [file, marks] of this.marks) {
      if (this.cellOf(file) === cell) {
        // Of several texts that a cell has run, the one that stands there; else the one told last.
        found = found && isShown(found, cell) ? found : marks;
      }
    }
    return found ?? null;
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
    for (const file of this.marks.keys()) {
      const cell = this.cellOf(file);
      const marks = cell && this.marksOf(cell);
      if (marks) {
        wanted.set(cell, marks);
      }
    }
    for (const [cell, marks] of wanted) {
      if (isShown(marks, cell)) {
        for (const line of this.wishes.meet(marks.session, cell.model.id, marks.lines)) {
          const known = marks.lines.find(each => each.line === line);
          if (known) {
            this.setStop(known, true);
          }
        }
      }
    }
    for (const cell of this.panel.content.widgets) {
      this.show(cell, { marks: wanted.get(cell) ?? null, wished: this.wishes.of(cell.model.id) });
    }
  }

  private show(cell: Cell, told: Told): void {
    const editor = cell.editor as CodeMirrorEditor | null;
    const view = editor?.editor;
    if (!view) {
      return;
    }
    const known = this.editors.get(view);
    if (!known) {
      if (!told.marks && told.wished.size === 0) {
        return;
      }
      editor.injectExtension(
        marking({
          goes: (_, line) => {
            const marks = this.editors.get(view)?.told.marks;
            if (marks) {
              this.goes(marks, line);
            }
          },
          toggles: (_, line) => this.toggle(cell, line),
          shifts: (_, wished) => {
            this.wishes.move(cell.model.id, wished);
            queueMicrotask(() => this.refresh());
          }
        })
      );
      this.editors.set(view, { cell, told });
      mark(view, told);
    } else if (!isEqual(known.told, told)) {
      known.told = told;
      mark(view, told);
    }
  }
}

/** Is it the text that the cell holds now? */
function isShown({ text }: FileMarks, cell: Cell): boolean {
  return text === null || isSame(text, cell.model.sharedModel.getSource());
}

function isEqual(one: Told, other: Told): boolean {
  return (
    (one.marks === other.marks || JSON.stringify(one.marks) === JSON.stringify(other.marks)) &&
    [...one.wished].join() === [...other.wished].join()
  );
}

/** Of the execution; null: it has not run, or is no code. */
function numberOf({ model }: Cell): number | null {
  return (model as { executionCount?: number | null }).executionCount ?? null;
}
