/** The lines of a program and how they are doing: folded from what the kernel tells, and put into words. */
import type {
  CodeFile,
  CodeLine,
  LineMark,
  LineRun,
  Lines,
  LinesMoved,
  LineStop
} from '../../protocol';
import { brief } from '../../view/format';
import type { Kept, KeptLines } from './wishes';

/** The lines of the session that was moved last. `runs` is changed in place, by line. */
export interface Program {
  readonly session: string;
  readonly number: number;
  readonly files: readonly CodeFile[];
  readonly lines: readonly CodeLine[];
  readonly runs: Map<number, LineRun>;
  readonly stops: readonly LineStop[];
  readonly mark: LineMark | null;
}

/** Null: no session is open, or none whose lines are known. */
export function begin(told: Lines): Program | null {
  const { session, number, lines, stops, mark } = told;
  if (session === '') {
    return null;
  }
  const runs = new Map(told.runs.map(run => [run.line, run]));
  return { session, number, files: withInside(told.files, mark), lines, runs, stops, mark };
}

/** 'anew': something is not known of it. */
export function fold(program: Program | null, moved: LinesMoved): Program | null | 'anew' {
  if (moved.session === '') {
    return null;
  }
  if (moved.session !== program?.session || moved.number !== program.number + 1) {
    return 'anew';
  }
  for (const run of moved.runs) {
    if (run.turns === 0) {
      program.runs.delete(run.line);
    } else {
      program.runs.set(run.line, run);
    }
  }
  const { number, mark, stops } = moved;
  const files = withInside(program.files, mark);
  return { ...program, number, mark, files, stops: stops ?? program.stops };
}

/** Also the text of a line that a node runs, and of one to blame, if it has recorded nothing. */
function withInside(files: readonly CodeFile[], mark: LineMark | null): readonly CodeFile[] {
  const others = [mark?.inside?.file, mark?.blamed?.file];
  return others.reduce<readonly CodeFile[]>(
    (all, other) => (!other || all.some(file => isText(file, other)) ? all : [...all, other]),
    files
  );
}

function isText(one: CodeFile, other: CodeFile): boolean {
  return one.file === other.file && one.cell === other.cell && one.text === other.text;
}

/** What stands at the end of a line. */
export interface LineText {
  readonly line: number;
  /** The number that the kernel knows the line by. */
  readonly number: number;
  /** Null: nothing of it was run. */
  readonly norm: string | null;
  readonly title: string;
  /** The gradient is not finite, or there was none. */
  readonly odd: boolean;
  readonly turns: number;
  /** What Continue does there. */
  readonly stop: Stop;
  /** What its breakpoints ask, with a comma before it. */
  readonly stopsIf: string;
  /** What is logged there without a stop; '': nothing. */
  readonly logs?: string;
  /** The breakpoints themselves. */
  readonly set?: readonly LineStop[];
}

/** 'off': there is one, and it is passed by, as is one whose condition the session refuses. */
export type Stop = 'none' | 'on' | 'off';

/** What stands in the gutter. */
export interface LineControl {
  readonly line: number;
  readonly stop: Stop | 'wished';
  /** It logs whenever Continue comes there. */
  readonly logs?: boolean;
  /** What it does, or waits for. */
  readonly title: string;
}

/** The line where the run stands, or that of the node that a person looks at. */
export interface MarkedLine {
  readonly line: number;
  readonly node: number;
  readonly kind: LineMark['kind'];
  /** What a person reads beside the line. */
  readonly text: string;
  /** The call in it, from here to there. */
  readonly call: { readonly from: number; readonly endLine: number; readonly to: number } | null;
}

export interface FileMarks {
  readonly session: string;
  /** What the text has to be for the marks to be true; null: it was compared already. */
  readonly text: string | null;
  readonly lines: readonly LineText[];
  readonly current: MarkedLine | null;
  /** The line that made the error of the current one, where that is another. */
  readonly blamed: MarkedLine | null;
}

export function marksIn(program: Program, file: number): FileMarks {
  const { files, lines, runs, stops, mark, session } = program;
  const text = files[file]?.text ?? '';
  return {
    session,
    text: text === '' ? null : text,
    lines: lines.flatMap((line, number) =>
      line.file === file
        ? [
            inWords(
              line,
              number,
              runs.get(number),
              stops.filter(stop => stop.line === number)
            )
          ]
        : []
    ),
    current: mark && markedIn(program, mark, file),
    blamed: mark && blamedIn(program, mark, file)
  };
}

/** A breakpoint that was set beside a line in which the session that is shown has recorded nothing. */
const WISHED = 'waits for the next backward that this line records';

function asksOf({ condition, hits }: Kept): string {
  const asks = [condition && `if ${condition}`, hits > 0 && `at hit ${hits}`];
  return asks.filter(Boolean).join(', ');
}

function waiting(line: number, kept: readonly Kept[]): LineControl {
  const stops = kept.find(({ log }) => log === '');
  const logs = kept.find(({ log }) => log !== '');
  const said = kept.map(each => {
    const name = each.log === '' ? 'Breakpoint' : `Logs \`${each.log}\``;
    return [each.enabled ? name : `Disabled: ${name}`, asksOf(each)].filter(Boolean).join(', ');
  });
  return {
    line,
    stop: !stops ? 'none' : stops.enabled ? 'wished' : 'off',
    logs: logs?.enabled ?? false,
    title: `${said.join('. ')}: ${WISHED}`
  };
}

/** What the gutter of a text holds: a control beside each line that recorded something, and where one is wished. */
export function controls(lines: readonly LineText[], wished: KeptLines): LineControl[] {
  const found = new Map<number, LineControl>();
  for (const [line, kept] of wished) {
    found.set(line, waiting(line, kept));
  }
  for (const { line, stop, stopsIf, logs = '', set = [] } of lines) {
    const why = set.find(({ log, enabled, refused }) => log === '' && enabled && refused !== '');
    const title = {
      none: 'Pause here in backward',
      on: `Continue pauses each time the run arrives at this line${stopsIf}`,
      off: why
        ? `Continue does not pause here: ${why.refused}`
        : `Disabled: Continue does not pause here${stopsIf}`
    }[stop];
    const said = logs === '' ? title : `Logs \`${logs}\` when Continue comes here. ${title}`;
    found.set(line, { line, stop, title: said, logs: logs !== '' });
  }
  return [...found.values()].sort((one, other) => one.line - other.line);
}

function inWords(
  line: CodeLine,
  number: number,
  run: LineRun | undefined,
  all: readonly LineStop[]
): LineText {
  const { turns } = line;
  const stops = all.filter(({ log }) => log === '');
  const logs = all.flatMap(({ log, enabled }) => (log !== '' && enabled ? [log] : [])).join('; ');
  const pauses = stops.some(({ enabled, refused }) => enabled && refused === '');
  const stop: Stop = stops.length === 0 ? 'none' : pauses ? 'on' : 'off';
  const asks = stops.map(asksOf).filter(text => text !== '');
  const stopsIf = asks.length > 0 ? `, ${asks.join('; ')}` : '';
  const common = { line: line.line, number, turns, stop, stopsIf, logs, set: all };
  if (!run) {
    return { ...common, norm: null, title: '', odd: false };
  }
  const times = turns > 1 ? ` · ${run.turns} of ${turns}` : '';
  const latest = turns > 1 ? `, ${run.turns} of ${turns} times so far: the latest` : '';
  return {
    ...common,
    norm: `‖g‖ ${run.norm === null ? 'undefined' : brief(run.norm)}${times}`,
    title:
      run.norm === null
        ? `No gradient has reached the result of this line${latest}`
        : `Norm of the gradient that reached the result of this line${latest}`,
    odd: run.norm === null || !Number.isFinite(run.norm)
  };
}

/** The line that a mark is at, and the number of its text; null: it is not known. */
export function placeOf(
  { files, lines }: Program,
  { line: number, inside }: LineMark
): { readonly file: number; readonly line: number } | null {
  if (inside) {
    const file = files.findIndex(each => isText(each, inside.file));
    return file < 0 ? null : { file, line: inside.line };
  }
  return lines[number ?? -1] ?? null;
}

/** Where a mark is in a text; null: in none, or in another. */
export function markedIn(program: Program, mark: LineMark, file: number): MarkedLine | null {
  const place = placeOf(program, mark);
  if (place?.file !== file) {
    return null;
  }
  const { node, kind, column, end_line: endLine, end_column: to } = mark;
  const isKnown = !mark.inside && column !== null && endLine !== null && to !== null;
  return {
    line: place.line,
    node,
    kind,
    text: mark.text || `next: ${mark.name}`,
    call: isKnown ? { from: column, endLine, to } : null
  };
}

function blamedIn({ files }: Program, mark: LineMark, file: number): MarkedLine | null {
  const { blamed, blamed_text: text, node, kind } = mark;
  const known = files[file];
  return blamed && known && isText(known, blamed.file)
    ? { line: blamed.line, node, kind, text, call: null }
    : null;
}

/** Are these the same text, but for empty lines at its end? */
export function isSame(one: string, other: string): boolean {
  return one === other || plain(one) === plain(other);
}

function plain(text: string): string {
  return text.replace(/\r\n?/g, '\n').trimEnd();
}
