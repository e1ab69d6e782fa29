/** Going through the visit of a node by its record, as `debugger/session/history/node_stages.py` does in a kernel. */
import type { StageRecord, StepRecord, Within } from '../protocol';

/** A place within a visit: so many stages, lines, and things that these made are done. */
interface Mark {
  readonly stages: number;
  readonly lines: number;
  readonly made: number;
  /** Within a line: behind a node that a backward of the line's own has run. */
  readonly fine: boolean;
}

const BEHIND_STORE: readonly string[] = ['post_accumulate', 'posthooks'];

export class Visiting {
  private readonly stages: readonly StageRecord[];
  private readonly marks: Mark[] = [];
  /** Before the first mark it is 0. */
  at = 0;

  constructor(private readonly record: StepRecord) {
    this.stages = stagesOf(record);
    const { code } = record;
    let lines = 0;
    let made = 0;
    this.stages.forEach((_, stages) => {
      for (let line = code[lines]; line && line.stage <= stages; line = code[lines]) {
        for (const { kind } of line.made) {
          made += 1;
          if (kind === 'visit') {
            this.marks.push({ stages, lines, made, fine: true });
          }
        }
        lines += 1;
        this.marks.push({ stages, lines, made, fine: false });
      }
      this.marks.push({ stages: stages + 1, lines, made, fine: false });
    });
  }

  get last(): number {
    return this.marks.length;
  }

  get within(): Within | null {
    const mark = this.marks[this.at - 1];
    const { code, visit } = this.record;
    return mark
      ? {
          node: visit.node,
          done: mark.stages,
          stages: this.stages,
          lines: mark.lines,
          code,
          made: mark.made
        }
      : null;
  }

  /** The mark after this, or with way -1 before it; over what a line's own backward runs, unless `fine`. */
  beside(way: 1 | -1, fine: boolean): number {
    const into = fine || (way < 0 && (this.marks[this.at - 1]?.fine ?? false));
    let at = this.at + way;
    while (!into && this.marks[at - 1]?.fine) {
      at += way;
    }
    return at;
  }

  /** Behind the line whose own backward it is in; else behind the stage whose lines it is among, or the last. */
  behindCode(): number {
    const mark = this.marks[this.at - 1];
    if (!mark || mark.fine) {
      return this.beside(1, false);
    }
    const line = this.record.code[mark.lines - 1];
    if (!line || line.stage < mark.stages) {
      return this.last;
    }
    const next = this.marks.findIndex(({ stages }, i) => i >= this.at && stages > mark.stages);
    return next < 0 ? this.last : next + 1;
  }
}

/** The decision of a leaf on its gradient is its formula. */
function stagesOf({ visit: { stages, accumulate } }: StepRecord): readonly StageRecord[] {
  if (!accumulate) {
    return stages;
  }
  const detail = `${accumulate.decision}: ${accumulate.reason}`;
  const behind = stages.findIndex(({ stage }) => BEHIND_STORE.includes(stage));
  const at = behind < 0 ? stages.length : behind;
  const stored = { stage: 'formula', detail, before: null, after: null };
  return [...stages.slice(0, at), stored, ...stages.slice(at)];
}
