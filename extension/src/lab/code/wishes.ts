/**
 * The lines of cells at which a person wants to stop. They outlive a session: where a cell is debugged again, or was
 * not yet, its breakpoints are set in the session that comes.
 */
import type { Stop } from './program';

/** What the session that is shown knows of a line. */
export interface KnownLine {
  readonly line: number;
  readonly stop: Stop;
}

export class Wishes {
  private readonly byCell = new Map<string, Set<number>>();
  private session = '';
  /** Of this session: what it was asked for, and what it has been seen to have. */
  private readonly asked = new Set<string>();
  private readonly seen = new Set<string>();

  of(cell: string): ReadonlySet<number> {
    return this.byCell.get(cell) ?? NONE;
  }

  /** `asked`: the session is told already. */
  set(cell: string, line: number, wanted: boolean, asked = false): void {
    const lines = new Set(this.of(cell));
    if (wanted) {
      lines.add(line);
      if (asked) {
        this.asked.add(key(cell, line));
      }
    } else {
      lines.delete(line);
      this.asked.delete(key(cell, line));
      this.seen.delete(key(cell, line));
    }
    this.byCell.set(cell, lines);
  }

  /** The text of a cell has changed. */
  move(cell: string, lines: ReadonlySet<number>): void {
    this.byCell.set(cell, new Set(lines));
  }

  /** A session that is moved for long refuses a breakpoint: it is asked again when it is met again. */
  refused(session: string, cell: string, line: number): void {
    if (session === this.session) {
      this.asked.delete(key(cell, line));
    }
  }

  /**
   * The lines of a cell as a session has them: those at which it should stop and was not told to. What was set or
   * taken away elsewhere is wished, or not any more.
   */
  meet(session: string, cell: string, known: readonly KnownLine[]): number[] {
    if (session !== this.session) {
      this.session = session;
      this.asked.clear();
      this.seen.clear();
    }
    const missing: number[] = [];
    for (const { line, stop } of known) {
      const its = key(cell, line);
      if (stop !== 'none') {
        if (!this.of(cell).has(line)) {
          this.set(cell, line, true);
        }
        this.seen.add(its);
      } else if (this.seen.has(its)) {
        this.set(cell, line, false);
      } else if (this.of(cell).has(line) && !this.asked.has(its)) {
        this.asked.add(its);
        missing.push(line);
      }
    }
    return missing;
  }
}

const NONE: ReadonlySet<number> = new Set();

function key(cell: string, line: number): string {
  return `${line}:${cell}`;
}
