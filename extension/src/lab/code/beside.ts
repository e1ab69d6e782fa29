/** What stands behind the text of a line: the norm of a gradient, and what is marked there, in words. */
import { WidgetType } from '@codemirror/view';

import type { LineText, MarkedLine } from './program';

export class NormWidget extends WidgetType {
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

/** What a marked line is about: also for who does not see its colour. */
export class NoteWidget extends WidgetType {
  /** `before`: so many letters stand before it in its line. What has no room behind them is in the tip. */
  constructor(
    private readonly marked: MarkedLine,
    private readonly before: number
  ) {
    super();
  }

  override eq({ marked, before }: NoteWidget): boolean {
    const { text, kind } = this.marked;
    return text === marked.text && kind === marked.kind && this.before === before;
  }

  override toDOM(): HTMLElement {
    const node = document.createElement('span');
    node.className = `vg-line-note vg-mark-${this.marked.kind}`;
    node.textContent = this.marked.text;
    node.title = this.marked.text;
    node.style.setProperty('--vg-before', `${this.before}`);
    return node;
  }

  override ignoreEvent(): boolean {
    return false;
  }
}
