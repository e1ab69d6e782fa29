/** Breakpoints beside the lines of one program: what a person sets beside a line is set in the session. */
import type { LinesFollower } from './linesFollower';
import type { FileMarks, LineText } from './program';
import { Wishes } from './wishes';

/** A text is known by the id of its cell, or the path of its file. */
export class LineStops {
  private readonly wishes = new Wishes();

  constructor(private readonly follower: LinesFollower) {}

  /** Lines of a text at which a person wants to stop. */
  of(text: string): ReadonlySet<number> {
    return this.wishes.of(text);
  }

  /** `marks`: what is known of the text that stands there, null if that is another than the one that ran. */
  toggle(text: string, line: number, marks: FileMarks | null): void {
    const known = marks?.lines.find(each => each.line === line);
    const wanted = known ? known.stop === 'none' : !this.wishes.of(text).has(line);
    this.wishes.set(text, line, wanted, known !== undefined);
    if (known) {
      this.set(text, known, wanted);
    }
  }

  /** The text has changed. */
  move(text: string, lines: ReadonlySet<number>): void {
    this.wishes.move(text, lines);
  }

  /** The lines of a text as the session has them. */
  meet(text: string, { session, lines }: FileMarks): void {
    for (const line of this.wishes.meet(session, text, lines)) {
      const known = lines.find(each => each.line === line);
      if (known) {
        this.set(text, known, true);
      }
    }
  }

  private set(text: string, { line: shown, number }: LineText, enabled: boolean): void {
    const { program } = this.follower;
    const line = program?.lines[number];
    const code = line && program.files[line.file];
    if (code) {
      const { session } = program;
      const answer = this.follower.ask({
        type: 'set_line_breakpoint',
        session,
        file: code.file,
        line: line.named,
        enabled,
        condition: '',
        hits: 0
      });
      void answer.then(done => {
        if (done === null) {
          this.wishes.refused(session, text, shown);
        }
      });
    }
  }
}
