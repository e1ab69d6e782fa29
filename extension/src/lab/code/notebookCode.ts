/** The code of one notebook: what is marked in its cells and in the files that it ran, and what a person selects there. */
import { Notification } from '@jupyterlab/apputils';
import type { NotebookPanel } from '@jupyterlab/notebook';
import type { IDisposable } from '@lumino/disposable';

import type { LineMark, Watched } from '../../protocol';
import type { NodeSelected } from '../../view/host';
import { Cells } from './cells';
import { errorLines } from '../../view/frame/errorLines';
import { choiceOf } from './choice';
import type { Choice } from './choice';
import type { LinesFollower } from './linesFollower';
import { LineStops } from './lineStops';
import { SILENT } from './marks';
import type { Told } from './marks';
import type { CodeOwner } from './owner';
import { onSelected, selectIn } from './pageViews';
import { markedIn, marksIn, placeOf } from './program';
import type { FileMarks, Program } from './program';
import type { Sources } from './sources';

/** What a person looks at, in a view or by putting the cursor there. */
interface Looked {
  readonly session: string;
  readonly node: number;
  /** Null: the kernel was asked where it is. */
  readonly mark: LineMark | null;
}

function warn(text: string): void {
  Notification.warning(text, { autoClose: 8000 });
}

export class NotebookCode implements CodeOwner, IDisposable {
  readonly stops: LineStops;
  readonly cells: Cells;
  readonly sources: Sources | null;
  /** By the number of its text. */
  marks: ReadonlyMap<number, FileMarks> = new Map();
  private shown: Program | null = null;
  private looked: Looked | null = null;
  private choice: Choice | null = null;
  /** What was selected in a view of another session than the one that was moved last. */
  private turning: { readonly session: string; readonly node: number } | null = null;
  /** The cursor was moved so often. */
  private going = 0;
  private readonly end: () => void;
  isDisposed = false;

  constructor(
    readonly panel: NotebookPanel,
    readonly follower: LinesFollower,
    sources: ((code: CodeOwner) => Sources) | null
  ) {
    this.stops = new LineStops(follower, (where, why) =>
      warn(`Kept breakpoint, ${where}: ${errorLines(why).what}`)
    );
    this.cells = new Cells(panel, this);
    this.sources = sources?.(this) ?? null;
    this.end = onSelected(selected => this.viewSelected(selected));
    follower.changed.connect(this.moved, this);
    this.refresh();
  }

  dispose(): void {
    if (!this.isDisposed) {
      this.isDisposed = true;
      this.follower.changed.disconnect(this.moved, this);
      this.end();
      this.cells.dispose();
      this.sources?.dispose();
    }
  }

  get program(): Program | null {
    return this.follower.program;
  }

  /** The text with the line whose nodes can be chosen from. */
  get choiceIn(): number | null {
    return this.program?.lines[this.choice?.number ?? -1]?.file ?? null;
  }

  /** What an editor is told that holds a text of the program; `text` is what it is known by. */
  told(file: number | null, text: string): Told {
    const wished = this.stops.of(text);
    const { program, looked } = this;
    if (file === null || !program) {
      return { ...SILENT, wished };
    }
    return {
      marks: this.marks.get(file) ?? null,
      wished,
      selected: looked?.mark ? markedIn(program, looked.mark, file) : null,
      choice: this.choiceIn === file ? this.choice : null
    };
  }

  async valueOf(expression: string): Promise<Watched | null> {
    const session = this.program?.session;
    if (!session) {
      return null;
    }
    const answer = await this.follower.ask({ type: 'get_value', session, expression });
    return answer?.value.error === '' ? answer.value : null;
  }

  noValue(): void {
    Notification.info('Put the cursor on a variable of a marked cell: its value is shown there.', {
      autoClose: 5000
    });
  }

  refresh(): void {
    const { program } = this;
    if (program !== this.shown) {
      this.shown = program;
      this.marks = new Map(
        program?.files.map((_, file) => [file, marksIn(program, file)] as const) ?? []
      );
    }
    if (this.looked?.session !== program?.session) {
      this.looked = null;
    }
    if (this.choice?.session !== program?.session) {
      this.choice = null;
    }
    this.cells.refresh();
    this.sources?.refresh();
  }

  /** A person has put the cursor on a line of a text; null: on one of which nothing is known. */
  goes(file: number | null, line: number): void {
    this.going += 1;
    const { going, program } = this;
    const text = this.marks.get(file ?? -1)?.lines.find(each => each.line === line);
    if (!program) {
      return;
    }
    const { session } = program;
    if (!text) {
      if (this.choice) {
        this.choice = null;
        this.looked = null;
        selectIn(session, { node: null, nodes: [] });
        this.refresh();
      }
      return;
    }
    void this.follower.ask({ type: 'get_line_nodes', session, line: text.number }).then(told => {
      if (told && going === this.going && !this.isDisposed) {
        const run = program.runs.get(text.number);
        const wanted = [this.looked?.node, this.program?.mark?.node, run?.node];
        this.choose(choiceOf(told, text, wanted));
      }
    });
  }

  /** A person has chosen a node of the line with the cursor. */
  chooses(node: number): void {
    if (this.choice) {
      this.choose({ ...this.choice, node });
    }
  }

  async runTo(marks: () => FileMarks | null, line: number): Promise<void> {
    await this.follower.upToDate();
    const { program } = this;
    const number = marks()?.lines.find(each => each.line === line)?.number;
    const known = program?.lines[number ?? -1];
    const code = program?.files[known?.file ?? -1];
    if (!program || !known || !code) {
      Notification.info(`The latest session has no node recorded on line ${line}.`);
      return;
    }
    const { session } = program;
    await this.follower.ask(
      { type: 'run_to_line', session, file: code.file, line: known.named },
      why => warn(errorLines(why).what)
    );
  }

  /** Shows a line of a file that nodes of the session were recorded in; false if there is none such. */
  async showFile(path: string, line: number): Promise<boolean> {
    await this.follower.upToDate();
    const file =
      this.program?.files.findIndex(each => each.file === path && each.cell === '') ?? -1;
    if (file < 0 || !this.sources) {
      return false;
    }
    void this.sources.show(file, line, 'asked');
    return true;
  }

  private choose(choice: Choice): void {
    const { session, node, nodes } = choice;
    this.choice = choice;
    this.refresh();
    if (node !== null) {
      void this.look(session, node);
      selectIn(session, { node, nodes: nodes.map(each => each.node) });
    }
  }

  private viewSelected({ session, node }: NodeSelected): void {
    this.turning = null;
    if (session !== this.program?.session) {
      if (this.program && node !== null) {
        this.turning = { session, node };
        this.follower.turnTo(session);
      }
      return;
    }
    if (node === null) {
      this.looked = null;
      this.choice = null;
      this.refresh();
    } else if (this.looked?.node !== node || this.looked.session !== session) {
      void this.look(session, node);
    }
  }

  /** Marks where a node was recorded, and shows the line if it is not that with the cursor. */
  private async look(session: string, node: number): Promise<void> {
    const looked: Looked = { session, node, mark: null };
    this.looked = looked;
    const isChosen = this.choice?.nodes.some(each => each.node === node) ?? false;
    if (!isChosen) {
      this.choice = null;
    }
    const told = await this.follower.ask({ type: 'get_node_line', session, node });
    if (this.looked !== looked || this.isDisposed) {
      return;
    }
    this.looked = { ...looked, mark: told?.mark ?? null };
    this.refresh();
    if (told && !isChosen) {
      this.show(told.mark, 'selected');
    }
  }

  private moved(_: unknown, program: Program | null): void {
    const before = this.shown;
    this.refresh();
    const { turning } = this;
    if (turning && program?.session === turning.session) {
      this.turning = null;
      void this.look(turning.session, turning.node);
      return;
    }
    const mark = program?.mark;
    if (mark && before?.session === program.session) {
      const { mark: last } = before;
      const isSame = last?.node === mark.node && last.kind === mark.kind && last.text === mark.text;
      if (!isSame || last.inside?.line !== mark.inside?.line) {
        this.show(mark, mark.text === '' ? 'followed' : 'stopped');
      }
    }
  }

  private show(mark: LineMark, why: 'selected' | 'followed' | 'stopped'): void {
    const { program } = this;
    const place = program && placeOf(program, mark);
    if (!place) {
      return;
    }
    const { file, line } = place;
    if (program.files[file]?.text === '') {
      void this.sources?.show(file, line, why);
    } else {
      void this.cells.show(file, line, why === 'selected' ? 'asked' : 'step');
    }
  }
}
