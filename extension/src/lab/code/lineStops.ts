/** Breakpoints beside the lines of one program: what a person sets beside a line is set in the session. */
import type { LinesFollower } from './linesFollower';
import type { FileMarks, LineText } from './program';
import { PLAIN, Wishes } from './wishes';
import type { Kept, KeptLines } from './wishes';

/** A text is known by the id of its cell, or the path of its file. */
export class LineStops {
  private readonly wishes = new Wishes();
  /** Refusals that were said. */
  private readonly said = new Set<string>();

  /** `say`: tells a person why the session refuses what a kept one asks. */
  constructor(
    private readonly follower: LinesFollower,
    private readonly say: (where: string, why: string) => void
  ) {}

  /** The breakpoints that a person wants in a text. */
  of(text: string): KeptLines {
    return this.wishes.of(text);
  }

  /** `marks`: what is known of the text that stands there, null if that is another than the one that ran. */
  toggle(text: string, line: number, marks: FileMarks | null): void {
    const known = marks?.lines.find(each => each.line === line);
    const wanted = known ? known.stop === 'none' : !this.wishes.of(text).has(line);
    this.wishes.set(text, line, wanted, known !== undefined);
    if (known) {
      this.set(text, known, PLAIN, wanted);
    }
  }

  /** The text has changed. */
  move(text: string, lines: KeptLines): void {
    this.wishes.move(text, lines);
  }

  /** The lines of a text as the session has them. */
  meet(text: string, { session, lines }: FileMarks): void {
    for (const { line, kept } of this.wishes.meet(session, text, lines)) {
      const known = lines.find(each => each.line === line);
      if (known) {
        this.set(text, known, kept, true);
      }
    }
    for (const known of lines) {
      for (const each of known.set ?? []) {
        const its = `${session} ${each.id}`;
        if (each.refused && this.wishes.isAsked(text, known.line, each) && !this.said.has(its)) {
          this.said.add(its);
          this.say(`line ${known.line} of ${this.nameOf(known)}`, each.refused);
        }
      }
    }
  }

  private nameOf({ number }: LineText): string {
    const { program } = this.follower;
    return program?.files[program.lines[number]?.file ?? -1]?.name ?? '';
  }

  private set(text: string, { line: shown, number }: LineText, kept: Kept, enabled: boolean): void {
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
        condition: kept.condition,
        hits: kept.hits,
        log: kept.log,
        disabled: !kept.enabled
      });
      void answer.then(done => {
        if (done === null) {
          this.wishes.refused(session, text, { line: shown, kept });
        }
      });
    }
  }
}
