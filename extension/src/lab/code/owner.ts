/** What the cells and the files of a notebook need of the `NotebookCode` that owns them. */
import type { NotebookPanel } from '@jupyterlab/notebook';

import type { Watched } from '../../protocol';
import type { LinesFollower } from './linesFollower';
import type { LineStops } from './lineStops';
import type { Told } from './marks';
import type { FileMarks, Program } from './program';

export interface CodeOwner {
  readonly panel: NotebookPanel;
  readonly follower: LinesFollower;
  readonly stops: LineStops;
  /** By the number of its text. */
  readonly marks: ReadonlyMap<number, FileMarks>;
  readonly program: Program | null;
  /** The text with the line whose nodes can be chosen from. */
  readonly choiceIn: number | null;
  /** What an editor is told that holds a text of the program; `text` is what it is known by. */
  told(file: number | null, text: string): Told;
  refresh(): void;
  /** A person has put the cursor on a line of a text; null: on one of which nothing is known. */
  goes(file: number | null, line: number): void;
  /** A person has chosen a node of the line with the cursor. */
  chooses(node: number): void;
  /** The value of an expression in the session that is marked; null: it has none. */
  valueOf(expression: string): Promise<Watched | null>;
  /** Says that a name has no value here. */
  noValue(): void;
  /**
   * Runs until what was recorded at a line is the next; says why, where that cannot be. `marks` gives those of its text
   * when the session is known that was opened last.
   */
  runTo(marks: () => FileMarks | null, line: number): Promise<void>;
}
