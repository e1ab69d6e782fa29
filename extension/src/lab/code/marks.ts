/**
 * Marks in an editor: the line that comes next, that of the selected node, and norms of gradients at the ends of lines.
 * What is marked is told from outside; whether the text is the one that ran is seen here, so that nothing is marked in
 * another.
 */
import { StateEffect, StateField } from '@codemirror/state';
import type { EditorState, Extension, Range, RangeSet, Text } from '@codemirror/state';
import { Decoration, EditorView, gutter, showPanel, ViewPlugin } from '@codemirror/view';
import type { DecorationSet, GutterMarker, PanelConstructor, ViewUpdate } from '@codemirror/view';

import { NormWidget, NoteWidget } from './beside';
import { isEqual as isSameChoice } from './choice';
import type { Choice } from './choice';
import { EMPTY, gutterOf, isControl, sayGutter, SPACER } from './gutter';
import { changedPanel, choicePanel, notePanel } from './panels';
import { isSame } from './program';
import { valueTips } from './valueTip';
import type { ValueOf } from './valueTip';
import type { FileMarks, MarkedLine } from './program';
import type { KeptLines } from './wishes';

/** What an editor is told. */
export interface Told {
  readonly marks: FileMarks | null;
  /** The breakpoints that a person wants, whether something is recorded there or not. */
  readonly wished: KeptLines;
  /** The line of the node that a person looks at. */
  readonly selected: MarkedLine | null;
  /** The nodes of the line with the cursor, where these are several. */
  readonly choice: Choice | null;
  /** It is known to be another text than the one that ran. */
  readonly other?: boolean;
  /** What is to be said of the text. */
  readonly note?: string;
}

export const SILENT: Told = { marks: null, wished: new Map(), selected: null, choice: null };

export interface Handlers {
  /** A person has put the cursor on another line. */
  goes(view: EditorView, line: number): void;
  /** A person has pressed the control beside a line. */
  toggles(view: EditorView, line: number): void;
  /** A person has chosen one of the nodes of a line. */
  chooses(view: EditorView, node: number): void;
  /** The text has changed, and the lines that were wished are these now. */
  shifts(view: EditorView, wished: KeptLines): void;
  readonly valueOf: ValueOf;
}

/** What is done about the line with the cursor. */
export interface AtCursor {
  /** Sets a breakpoint beside it, or takes it away. */
  toggleAtCursor(): void;
  /** Gives the list of its nodes the keyboard, if there is one. */
  chooseAtCursor(): void;
  /** Runs until what it recorded is the next. */
  runToCursor(): void;
  /** Shows the value of the variable there. */
  valueAtCursor(): void;
}

/** What an editor shows now. */
interface Shown {
  readonly told: Told;
  /** Is the text another than that which ran? */
  readonly changed: boolean;
  readonly decorations: DecorationSet;
  readonly gutter: RangeSet<GutterMarker>;
  readonly panels: readonly PanelConstructor[];
}

const NOTHING: Shown = {
  told: SILENT,
  changed: false,
  decorations: Decoration.none,
  gutter: EMPTY,
  panels: []
};

const tell = StateEffect.define<Told>();

/** Tells an editor what to mark. */
export function mark(view: EditorView, told: Told): void {
  view.dispatch({ effects: tell.of(told) });
}

export function isEqual(one: Told, other: Told): boolean {
  const { marks, selected } = one;
  return (
    (marks === other.marks || JSON.stringify(marks) === JSON.stringify(other.marks)) &&
    JSON.stringify(selected) === JSON.stringify(other.selected) &&
    isSameChoice(one.choice, other.choice) &&
    one.other === other.other &&
    one.note === other.note &&
    JSON.stringify([...one.wished]) === JSON.stringify([...other.wished])
  );
}

export function marking(handlers: Handlers): Extension {
  const { goes, toggles, shifts, chooses } = handlers;
  const choose: PanelConstructor = choicePanel(
    view => view.state.field(shown).told.choice,
    (view, node) => chooses(view, node)
  );
  const shown = StateField.define<Shown>({
    create: () => NOTHING,
    update(before, transaction) {
      let { told } = before;
      for (const effect of transaction.effects) {
        if (effect.is(tell)) {
          told = effect.value;
        }
      }
      if (told === before.told && !transaction.docChanged) {
        return before;
      }
      return show(told, transaction.newDoc, before, choose);
    },
    provide: field => [
      EditorView.decorations.from(field, ({ decorations }) => decorations),
      EditorView.editorAttributes.from(field, ({ gutter: { size } }) => ({
        class: size > 0 ? 'vg-has-lines' : ''
      })),
      showPanel.computeN([field], state => state.field(field).panels)
    ]
  });
  return [
    shown,
    valueTips(handlers.valueOf, state => {
      const { told, changed } = state.field(shown);
      return told.marks !== null && !changed;
    }),
    gutter({
      class: 'vg-line-gutter',
      markers: view => view.state.field(shown).gutter,
      initialSpacer: () => SPACER,
      domEventHandlers: {
        mousedown: (_, __, event) => isControl(event), // The cursor stays where it is.
        click: (view, block, event) => {
          if (!isControl(event)) {
            return false;
          }
          toggles(view, view.state.doc.lineAt(block.from).number);
          return true;
        }
      }
    }),
    ViewPlugin.define(view => {
      sayGutter(view);
      return {
        update: (update: ViewUpdate) => {
          sayGutter(view);
          if (isGoing(update)) {
            const line = cursorLine(update.state);
            queueMicrotask(() => goes(view, line)); // An editor cannot be told anything meanwhile.
          }
          const { wished } = update.startState.field(shown).told;
          if (update.docChanged && wished.size > 0) {
            shifts(view, shifted(update, wished));
          }
        }
      };
    })
  ];
}

/** Has a person put the cursor on another line, by a key or a click? What programs do is none of theirs. */
function isGoing({ docChanged, transactions, state, startState }: ViewUpdate): boolean {
  return (
    !docChanged &&
    transactions.some(each => each.isUserEvent('select')) &&
    cursorLine(state) !== cursorLine(startState)
  );
}

function shifted(update: ViewUpdate, wished: KeptLines): KeptLines {
  const { startState, state, changes } = update;
  const lines = [...wished].filter(([line]) => line <= startState.doc.lines);
  return new Map(
    lines.map(([line, kept]) => [
      state.doc.lineAt(changes.mapPos(startState.doc.line(line).from, 1)).number,
      kept
    ])
  );
}

function cursorLine(state: EditorState): number {
  return state.doc.lineAt(state.selection.main.head).number;
}

function show(told: Told, doc: Text, before: Shown, choose: PanelConstructor): Shown {
  const { marks, wished, note = '' } = told;
  const differs = told.other ?? (marks?.text != null && !isSame(doc.toString(), marks.text));
  if (!marks || differs) {
    const changed = differs && (marks === null || marks.lines.length > 0);
    const says = note === '' ? (changed ? [changedPanel] : []) : said(note, before);
    const gutter = gutterOf([], wished, null, doc);
    return { ...NOTHING, told, changed, gutter, panels: says };
  }
  const panels = note === '' ? [] : said(note, before);
  return {
    told,
    changed: false,
    decorations: Decoration.set(decorationsOf(told, marks, doc), true),
    gutter: gutterOf(marks.lines, wished, marks.current, doc),
    panels: told.choice && told.choice.nodes.length > 1 ? [...panels, choose] : panels
  };
}

/** The panel that says so: the one that is there already stays. */
function said(note: string, before: Shown): readonly PanelConstructor[] {
  const [there] = before.panels;
  return [before.told.note === note && there ? there : notePanel(note)];
}

function decorationsOf({ selected }: Told, marks: FileMarks, doc: Text): Range<Decoration>[] {
  const found: Range<Decoration>[] = [];
  for (const text of marks.lines) {
    if (text.norm !== null && text.line <= doc.lines) {
      const widget = new NormWidget(text);
      found.push(Decoration.widget({ widget, side: 3 }).range(doc.line(text.line).to));
    }
  }
  const { current, blamed } = marks;
  if (current) {
    found.push(...markOf(current, 'current', doc));
  }
  if (blamed && blamed.line !== current?.line) {
    found.push(...markOf(blamed, 'blamed', doc));
  }
  // The node that is selected is not marked a second time where the run stands at it.
  if (selected && selected.node !== current?.node) {
    found.push(...markOf(selected, 'selected', doc));
  }
  return found;
}

function markOf(
  marked: MarkedLine,
  called: 'current' | 'blamed' | 'selected',
  doc: Text
): Range<Decoration>[] {
  if (marked.line > doc.lines) {
    return [];
  }
  const line = doc.line(marked.line);
  const attribute = { current: 'data-node', blamed: 'data-blames', selected: 'data-selected-node' };
  const found = [
    Decoration.line({
      class: `vg-${called}-line vg-mark-${marked.kind}`,
      attributes: { [attribute[called]]: `${marked.node}` }
    }).range(line.from),
    Decoration.widget({
      widget: new NoteWidget(marked, line.length),
      side: called === 'selected' ? 2 : 1
    }).range(line.to)
  ];
  const call = callIn(marked, doc);
  if (call) {
    found.push(Decoration.mark({ class: `vg-${called}-call` }).range(call.from, call.to));
  }
  return found;
}

function callIn({ line, call }: MarkedLine, doc: Text): { from: number; to: number } | null {
  if (!call || call.endLine > doc.lines) {
    return null;
  }
  const from = Math.min(doc.line(line).from + call.from, doc.line(line).to);
  const to = Math.min(doc.line(call.endLine).from + call.to, doc.line(call.endLine).to);
  return from < to ? { from, to } : null;
}
