/**
 * The breakpoints beside lines of cells, as a person has set them. They outlive a session: where a cell is debugged again, or
 * was not yet, its breakpoints are set in the session that comes, with all that they ask.
 */
import type { LineStop } from '../../protocol';

/** One that stops, or one that logs: a line has at most one of each. */
export type Kept = Pick<LineStop, 'enabled' | 'condition' | 'hits' | 'log'>;
/** By line. */
export type KeptLines = ReadonlyMap<number, readonly Kept[]>;

/** What a click sets. */
export const PLAIN: Kept = { enabled: true, condition: '', hits: 0, log: '' };

/** What the session that is shown knows of a line. */
export interface KnownLine {
  readonly line: number;
  readonly set?: readonly LineStop[];
}

export interface Missing {
  readonly line: number;
  readonly kept: Kept;
}

export class Wishes {
  private readonly byCell = new Map<string, KeptLines>();
  private session = '';
  /** Of this session: what it was asked for, and what it has been seen to have. */
  private readonly asked = new Set<string>();
  private readonly seen = new Set<string>();

  of(cell: string): KeptLines {
    return this.byCell.get(cell) ?? NONE;
  }

  /**
   * A person sets a breakpoint beside a line or takes it away. `asked`: the session is told already, and goes on with what
   * is logged there.
   */
  set(cell: string, line: number, wanted: boolean, asked = false): void {
    if (!wanted) {
      this.leave(cell, line, '');
      if (!asked) {
        this.leave(cell, line, 'log');
      }
      return;
    }
    this.keep(cell, line, PLAIN);
    if (asked) {
      this.asked.add(key(cell, line, ''));
    }
  }

  /** The text of a cell has changed. */
  move(cell: string, lines: KeptLines): void {
    this.byCell.set(cell, lines);
  }

  /** A session that is moved for long refuses a breakpoint: it is asked again when it is met again. */
  refused(session: string, cell: string, { line, kept }: Missing): void {
    if (session === this.session) {
      this.asked.delete(key(cell, line, kept.log));
    }
  }

  /** Was the session that is shown asked for it? */
  isAsked(cell: string, line: number, { log }: Kept): boolean {
    return this.asked.has(key(cell, line, log));
  }

  /**
   * The lines of a cell as a session has them: those breakpoints that it should have and was not told of. What was set,
   * changed or taken away elsewhere is kept as it is there, or not any more.
   */
  meet(session: string, cell: string, known: readonly KnownLine[]): Missing[] {
    if (session !== this.session) {
      this.session = session;
      this.asked.clear();
      this.seen.clear();
    }
    const missing: Missing[] = [];
    for (const { line, set = [] } of known) {
      for (const log of ['', 'log']) {
        const its = key(cell, line, log);
        const there = set.find(each => isAlike(each.log, log));
        const kept = this.of(cell)
          .get(line)
          ?.find(each => isAlike(each.log, log));
        if (there) {
          this.keep(cell, line, there);
          this.seen.add(its);
        } else if (this.seen.has(its)) {
          this.leave(cell, line, log);
        } else if (kept && !this.asked.has(its)) {
          this.asked.add(its);
          missing.push({ line, kept });
        }
      }
    }
    return missing;
  }

  private keep(cell: string, line: number, { enabled, condition, hits, log }: Kept): void {
    const others = this.others(cell, line, log);
    this.put(cell, line, [...others, { enabled, condition, hits, log }]);
  }

  private leave(cell: string, line: number, log: string): void {
    this.asked.delete(key(cell, line, log));
    this.seen.delete(key(cell, line, log));
    this.put(cell, line, this.others(cell, line, log));
  }

  private others(cell: string, line: number, log: string): readonly Kept[] {
    return (this.of(cell).get(line) ?? []).filter(each => !isAlike(each.log, log));
  }

  private put(cell: string, line: number, kept: readonly Kept[]): void {
    const lines = new Map(this.of(cell));
    if (kept.length > 0) {
      lines.set(line, kept);
    } else {
      lines.delete(line);
    }
    this.byCell.set(cell, lines);
  }
}

const NONE: KeptLines = new Map();

/** Do both stop, or both log? */
function isAlike(log: string, other: string): boolean {
  return (log === '') === (other === '');
}

function key(cell: string, line: number, log: string): string {
  return `${log === '' ? 'stop' : 'log'}:${line}:${cell}`;
}
