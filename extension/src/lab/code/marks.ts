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

import { isSame } from './program';
import type { CurrentLine, FileMarks, LineText } from './program';

/** What an editor shows now. */
interface Shown {
  readonly marks: FileMarks | null;
  /** Is the text another than that which ran? */
  readonly changed: boolean;
  readonly decorations: DecorationSet;
  readonly arrows: RangeSet<GutterMarker>;
}

const NOTHING: Shown = {
  marks: null,
  changed: false,
  decorations: Decoration.none,
  arrows: RangeSet.of<GutterMarker>([])
};

const tell = StateEffect.define<FileMarks | null>();

const shown = StateField.define<Shown>({
  create: () => NOTHING,
  update(before, transaction) {
    let { marks } = before;
    for (const effect of transaction.effects) {
      if (effect.is(tell)) {
        marks = effect.value;
      }
    }
    if (marks === before.marks && !(transaction.docChanged && marks)) {
      return before;
    }
    return marks ? show(marks, transaction.newDoc) : NOTHING;
  },
  provide: field => [
    EditorView.decorations.from(field, ({ decorations }) => decorations),
    EditorView.editorAttributes.from(field, ({ marks, changed }) => ({
      class: marks && !changed ? 'vg-has-lines' : ''
    })),
    showPanel.from(field, ({ changed }) => (changed ? changedPanel : null))
  ]
});

/** Tells an editor what to mark. */
export function mark(view: EditorView, marks: FileMarks | null): void {
  view.dispatch({ effects: tell.of(marks) });
}

/** What is marked in an editor, where its text is the one that ran. */
export function markedIn(state: EditorState): FileMarks | null {
  const { marks, changed } = state.field(shown);
  return changed ? null : marks;
}

/** `goes` is called when a person puts the cursor on another line. */
export function marking(goes: (view: EditorView, line: number) => void): Extension {
  return [
    shown,
    gutter({
      class: 'vg-line-gutter',
      markers: view => view.state.field(shown).arrows,
      initialSpacer: () => SPACER
    }),
    ViewPlugin.define(view => ({
      update: (update: ViewUpdate) => {
        if (update.selectionSet && !update.docChanged && view.hasFocus) {
          const line = cursorLine(update.state);
          if (line !== cursorLine(update.startState)) {
            goes(view, line);
          }
        }
      }
    }))
  ];
}

function cursorLine(state: EditorState): number {
  return state.doc.lineAt(state.selection.main.head).number;
}

function show(marks: FileMarks, doc: Text): Shown {
  if (marks.text !== null && !isSame(doc.toString(), marks.text)) {
    return { ...NOTHING, marks, changed: marks.lines.length > 0 };
  }
  const decorations: Range<Decoration>[] = [];
  const arrows: Range<GutterMarker>[] = [];
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
    arrows.push(new Arrow(current.kind).range(line.from));
  }
  return {
    marks,
    changed: false,
    decorations: Decoration.set(decorations, true),
    arrows: RangeSet.of(arrows)
  };
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
    node.className = `vg-line-norm${odd ? ' vg-odd' : ''}`;
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

class Arrow extends GutterMarker {
  constructor(private readonly kind: CurrentLine['kind']) {
    super();
  }

  override eq({ kind }: Arrow): boolean {
    return this.kind === kind;
  }

  override toDOM(): HTMLElement {
    const node = document.createElement('span');
    node.className = `vg-line-arrow vg-mark-${this.kind}`;
    node.textContent = '▶';
    return node;
  }
}

const SPACER = new Arrow('next');

function changedPanel(): Panel {
  const dom = document.createElement('div');
  dom.className = 'vg-cell-changed';
  dom.textContent = 'changed since it ran: the debugger marks no lines here';
  return { dom };
}
