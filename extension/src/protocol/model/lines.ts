// Made by `make types` from vizgrad/debugger/model/lines.py: do not edit.
/** A run as a person's program sees it: what the lines that recorded nodes are told of. */
import { boolean, float, integer, nullable, oneOf, optional, record, string } from '../check';
import type { Reader } from '../check';

export const MARK_KINDS = ['next', 'nonfinite', 'error', 'inside', 'selected'] as const;
export type MarkKind = (typeof MARK_KINDS)[number];
export const readMarkKind = oneOf(MARK_KINDS);

/**
 * A text that recorded nodes: a cell of a notebook, or a file.
 *
 * `name` is what a person calls it: `In [3]`, `train.py`. `cell` is the id of the cell, where that
 * is known, and `text` what it held when it ran; both are empty for a file.
 */
export interface CodeFile {
  readonly file: string;
  readonly name: string;
  readonly cell: string;
  readonly text: string;
}

/**
 * Line `line` (the first is 1) of text number `file`: it recorded `nodes` nodes, also within
 * modules of the library that it called, in so many `turns` (of a loop, or calls of a function).
 * Where breakpoints are set it is line `named`: another only where cells of one text were run with
 * a magic and without.
 */
export interface CodeLine {
  readonly file: number;
  readonly line: number;
  readonly nodes: number;
  readonly turns: number;
  readonly named: number;
}

/**
 * How line number `line` is doing: nodes of so many of its turns have been run. `norm` is that of
 * the gradient which arrived at `node`, the first to be run of the latest of these: None if it was
 * undefined.
 */
export interface LineRun {
  readonly line: number;
  readonly turns: number;
  readonly node: number | null;
  readonly norm: number | null;
}

/**
 * A line of a person's that a node runs, a hook's or a custom Function's: line `line` of a text
 * that may have recorded nothing.
 */
export interface LineInside {
  readonly file: CodeFile;
  readonly line: number;
}

/**
 * Where the run stands in the program: at `node`, which is called `name` and was recorded by line
 * number `line` (None: it is not known by which).
 *
 * - "next": the run is paused at it. "nonfinite": it has made a NaN or an infinity. "error": it
 *   raised. "selected": a person looks at it, wherever the run stands.
 * - "inside": the run is in Python that it runs, and `inside` is the line which comes next there.
 *
 * `line` is that of the call where a module of the library recorded the node.
 *
 * `text` says why the run stopped there, if something stopped it, and of what is selected what it
 * is. The call within the line goes from `column` to `end_column` of line `end_line` of the same
 * text, counted from 0 in units of UTF-16; None: not known. `blamed` is another line that made the
 * error, as a write in place to what the node has saved, and `blamed_text` says what that line did.
 */
export interface LineMark {
  readonly node: number;
  readonly name: string;
  readonly line: number | null;
  readonly kind: MarkKind;
  readonly text: string;
  readonly column: number | null;
  readonly end_line: number | null;
  readonly end_column: number | null;
  readonly inside: LineInside | null;
  readonly blamed: LineInside | null;
  readonly blamed_text: string;
}

/** A node of a line: `turn` counts from 0, as the program ran. */
export interface LineNode {
  readonly node: number;
  readonly turn: number;
  readonly name: string;
  readonly done: boolean;
}

/** Breakpoint number `id` is at line number `line`. The rest is that of `Breakpoint`. */
export interface LineStop {
  readonly line: number;
  readonly id: number;
  readonly enabled: boolean;
  readonly condition: string;
  readonly hits: number;
  readonly log: string;
  readonly refused: string;
}

export const readCodeFile: Reader<CodeFile> = record<CodeFile>({
  file: string,
  name: string,
  cell: optional(string, ''),
  text: optional(string, '')
});

export const readCodeLine: Reader<CodeLine> = record<CodeLine>({
  file: integer,
  line: integer,
  nodes: integer,
  turns: integer,
  named: integer
});

export const readLineRun: Reader<LineRun> = record<LineRun>({
  line: integer,
  turns: integer,
  node: optional(nullable(integer), null),
  norm: optional(nullable(float), null)
});

export const readLineInside: Reader<LineInside> = record<LineInside>({
  file: readCodeFile,
  line: integer
});

export const readLineMark: Reader<LineMark> = record<LineMark>({
  node: integer,
  name: string,
  line: nullable(integer),
  kind: optional(readMarkKind, 'next'),
  text: optional(string, ''),
  column: optional(nullable(integer), null),
  end_line: optional(nullable(integer), null),
  end_column: optional(nullable(integer), null),
  inside: optional(nullable(readLineInside), null),
  blamed: optional(nullable(readLineInside), null),
  blamed_text: optional(string, '')
});

export const readLineNode: Reader<LineNode> = record<LineNode>({
  node: integer,
  turn: integer,
  name: string,
  done: boolean
});

export const readLineStop: Reader<LineStop> = record<LineStop>({
  line: integer,
  id: integer,
  enabled: boolean,
  condition: optional(string, ''),
  hits: optional(integer, 0),
  log: optional(string, ''),
  refused: optional(string, '')
});
