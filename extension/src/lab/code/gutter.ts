/** The gutter of an editor: a control beside each line that recorded something, and an arrow where the run stands. */
import { RangeSet } from '@codemirror/state';
import type { Range, Text } from '@codemirror/state';
import { GutterMarker } from '@codemirror/view';
import type { EditorView } from '@codemirror/view';

import { controls } from './program';
import type { LineControl, LineText, MarkedLine } from './program';
import type { KeptLines } from './wishes';

/** Beside a line: sets a breakpoint there or takes it away; with an arrow where the run stands. */
class Control extends GutterMarker {
  constructor(
    private readonly control: LineControl,
    private readonly here: MarkedLine['kind'] | null
  ) {
    super();
  }

  override eq({ control, here }: Control): boolean {
    return (
      this.here === here &&
      this.control.line === control.line &&
      this.control.stop === control.stop &&
      this.control.logs === control.logs &&
      this.control.title === control.title
    );
  }

  override toDOM(): HTMLElement {
    const { line, stop, title, logs = false } = this.control;
    const button = document.createElement('button');
    button.type = 'button';
    button.tabIndex = -1; // Tab goes on to the next cell; a command does the same.
    button.className = `vg-breakpoint vg-stop-${stop}`;
    button.classList.toggle('vg-logs', logs);
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
export const SPACER: GutterMarker = new Control({ line: 0, stop: 'none', title: '' }, null);
export const EMPTY = RangeSet.of<GutterMarker>([]);

export function gutterOf(
  lines: readonly LineText[],
  wished: KeptLines,
  current: MarkedLine | null,
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

export function isControl({ target }: Event): boolean {
  return target instanceof Element && target.closest('.vg-breakpoint') !== null;
}

/** CodeMirror hides gutters from screen readers: ours has controls. The others stay hidden. */
export function sayGutter(view: EditorView): void {
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
