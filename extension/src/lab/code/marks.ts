/**
 * Marks in an editor: the line that comes next, and norms of gradients at the ends of lines. What is marked is told from
 * outside; whether the text is the one that ran is seen here, so that nothing is marked in another.
 */
import { RangeSet, StateEffect, StateField } from '@codemirror/state';
import type { EditorState, Extension, Range, Text } from '@codemirror/state';
import {
  Decoration,
  EditorView,
  gutter,
  GutterMarker,
  showPanel,
  ViewPlugin,
  WidgetType
} from '@codemirror/view';
import type { DecorationSet, Panel, ViewUpdate } from '@codemirror/view';

import { controls, isSame } from './program';
import type { CurrentLine, FileMarks, LineControl, LineText } from './program';

/** What an editor is told. */
export interface Told {
  readonly marks: FileMarks | null;
  /** Lines at which a person wants to stop, whether something is recorded there or not. */
  readonly wished: ReadonlySet<number>;
}

export interface Handlers {
  /** A person has put the cursor on another line. */
  goes(view: EditorView, line: number): void;
  /** A person has pressed the control beside a line. */
  toggles(view: EditorView, line: number): void;
  /** The text has changed, and the lines that were wished are these now. */
  shifts(view: EditorView, wished: ReadonlySet<number>): void;
}

/** What an editor shows now. */
interface Shown {
  readonly told: Told;
  /** Is the text another than that which ran? */
  readonly changed: boolean;
  readonly decorations: DecorationSet;
  readonly gutter: RangeSet<GutterMarker>;
}

const NOTHING: Shown = {
  told: { marks: null, wished: new Set() },
  changed: false,
  decorations: Decoration.none,
  gutter: RangeSet.of<GutterMarker>([])
};

const tell = StateEffect.define<Told>();

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
    return told.marks || told.wished.size > 0 ? show(told, transaction.newDoc) : NOTHING;
  },
  provide: field => [
    EditorView.decorations.from(field, ({ decorations }) => decorations),
    EditorView.editorAttributes.from(field, ({ gutter: { size } }) => ({
      class: size > 0 ? 'vg-has-lines' : ''
    })),
    showPanel.from(field, ({ changed }) => (changed ? changedPanel : null))
  ]
});

/** Tells an editor what to mark. */
export function mark(view: EditorView, told: Told): void {
  view.dispatch({ effects: tell.of(told) });
}

/** What is marked in an editor, where its text is the one that ran. */
export function markedIn(state: EditorState): FileMarks | null {
  const { told, changed } = state.field(shown);
  return changed ? null : told.marks;
}

export function marking({ goes, toggles, shifts }: Handlers): Extension {
  return [
    shown,
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
          if (update.selectionSet && !update.docChanged && view.hasFocus) {
            const line = cursorLine(update.state);
            if (line !== cursorLine(update.startState)) {
              goes(view, line);
            }
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

function isControl({ target }: Event): boolean {
  return target instanceof Element && target.closest('.vg-breakpoint') !== null;
}

function shifted(update: ViewUpdate, wished: ReadonlySet<number>): ReadonlySet<number> {
  const { startState, state, changes } = update;
  const lines = [...wished].filter(line => line <= startState.doc.lines);
  return new Set(
    lines.map(line => state.doc.lineAt(changes.mapPos(startState.doc.line(line).from, 1)).number)
  );
}

/** CodeMirror hides gutters from screen readers: ours has controls. The others stay hidden. */
function sayGutter(view: EditorView): void {
  const gutters = view.dom.querySelector('.cm-gutters');
  if (gutters?.hasAttribute('aria-hidden')) {
    gutters.removeAttribute('aria-hidden');
  }
  for (const each of gutters?.children ?? []) {
    if (!each.classList.contains('vg-line-gutter') && !each.hasAttribute('aria-hidden')) {
      each.setAttribute('aria-hidden', 'true');
    }
  }
}

function cursorLine(state: EditorState): number {
  return state.doc.lineAt(state.selection.main.head).number;
}

function show(told: Told, doc: Text): Shown {
  const { marks, wished } = told;
  const changed = marks?.text != null && !isSame(doc.toString(), marks.text);
  if (!marks || changed) {
    const gutter = gutterOf([], wished, null, doc);
    return { ...NOTHING, told, gutter, changed: changed && marks.lines.length > 0 };
  }
  const decorations: Range<Decoration>[] = [];
  for (const text of marks.lines) {
    if (text.norm !== null && text.line <= doc.lines) {
      const widget = new NormWidget(text);
      decorations.push(Decoration.widget({ widget, side: 2 }).range(doc.line(text.line).to));
    }
  }
  const { current } = marks;
  if (current && current.line <= doc.lines) {
    const line = doc.line(current.line);
    decorations.push(
      Decoration.line({
        class: `vg-current-line vg-mark-${current.kind}`,
        attributes: { 'data-node': `${current.node}` }
      }).range(line.from),
      Decoration.widget({ widget: new CurrentWidget(current), side: 1 }).range(line.to)
    );
    const call = callIn(current, doc);
    if (call) {
      decorations.push(Decoration.mark({ class: 'vg-current-call' }).range(call.from, call.to));
    }
  }
  return {
    told,
    changed: false,
    decorations: Decoration.set(decorations, true),
    gutter: gutterOf(marks.lines, wished, current, doc)
  };
}

function gutterOf(
  lines: readonly LineText[],
  wished: ReadonlySet<number>,
  current: CurrentLine | null,
  doc: Text
): RangeSet<GutterMarker> {
  const markers: Range<GutterMarker>[] = controls(lines, wished).flatMap(control =>
    control.line <= doc.lines
      ? [
          new Control(control, control.line === current?.line ? current.kind : null).range(
            doc.line(control.line).from
          )
        ]
      : []
  );
  const alone = current && current.line <= doc.lines && !lines.some(of => of.line === current.line);
  if (alone && !wished.has(current.line)) {
    markers.push(ARROW.range(doc.line(current.line).from)); // A line that has recorded nothing.
  }
  return RangeSet.of<GutterMarker>(markers, true);
}

function callIn({ line, call }: CurrentLine, doc: Text): { from: number; to: number } | null {
  if (!call || call.endLine > doc.lines) {
    return null;
  }
  const from = Math.min(doc.line(line).from + call.from, doc.line(line).to);
  const to = Math.min(doc.line(call.endLine).from + call.to, doc.line(call.endLine).to);
  return from < to ? { from, to } : null;
}

class NormWidget extends WidgetType {
  constructor(private readonly text: LineText) {
    super();
  }

  override eq({ text }: NormWidget): boolean {
    return this.text.norm === text.norm && this.text.title === text.title;
  }

  override toDOM(): HTMLElement {
    const { norm, title, odd, line } = this.text;
    const node = document.createElement('span');
    node.className = `vg-line-norm${odd ? ' vg-line-odd' : ''}`;
    node.textContent = norm;
    node.title = title;
    node.dataset['line'] = `${line}`;
    return node;
  }

  override ignoreEvent(): boolean {
    return false;
  }
}

/** What the current line is about, in words: also for who does not see its colour. */
class CurrentWidget extends WidgetType {
  constructor(private readonly current: CurrentLine) {
    super();
  }

  override eq({ current }: CurrentWidget): boolean {
    return this.current.text === current.text && this.current.kind === current.kind;
  }

  override toDOM(): HTMLElement {
    const node = document.createElement('span');
    node.className = `vg-line-note vg-mark-${this.current.kind}`;
    node.textContent = this.current.text;
    return node;
  }

  override ignoreEvent(): boolean {
    return false;
  }
}

/** Beside a line: sets a breakpoint there or takes it away; with an arrow where the run stands. */
class Control extends GutterMarker {
  constructor(
    private readonly control: LineControl,
    private readonly here: CurrentLine['kind'] | null
  ) {
    super();
  }

  override eq({ control, here }: Control): boolean {
    return (
      this.here === here &&
      this.control.line === control.line &&
      this.control.stop === control.stop &&
      this.control.title === control.title
    );
  }

  override toDOM(): HTMLElement {
    const { line, stop, title } = this.control;
    const button = document.createElement('button');
    button.type = 'button';
    button.tabIndex = -1; // Tab goes on to the next cell; a command does the same.
    button.className = `vg-breakpoint vg-stop-${stop}`;
    button.setAttribute('aria-label', `Breakpoint, line ${line}`);
    button.setAttribute('aria-pressed', `${stop === 'on' || stop === 'wished'}`);
    button.title = title;
    if (this.here) {
      button.classList.add('vg-line-arrow', `vg-mark-${this.here}`);
    }
    return button;
  }
}

/** Where the run stands within a node, beside a line with no control. */
class Arrow extends GutterMarker {
  override toDOM(): HTMLElement {
    const sign = document.createElement('span');
    sign.className = 'vg-line-arrow vg-mark-inside';
    return sign;
  }
}

const ARROW = new Arrow();
const SPACER = new Control({ line: 0, stop: 'none', title: '' }, null);

function changedPanel(): Panel {
  const dom = document.createElement('div');
  dom.className = 'vg-cell-changed';
  dom.textContent = 'changed since it ran: the debugger marks no lines here';
  return { dom };
}
