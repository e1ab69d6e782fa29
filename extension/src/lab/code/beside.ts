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
  constructor(private readonly marked: MarkedLine) {
    super();
  }

  override eq({ marked }: NoteWidget): boolean {
    return this.marked.text === marked.text && this.marked.kind === marked.kind;
  }

  override toDOM(): HTMLElement {
    const node = document.createElement('span');
    node.className = `vg-line-note vg-mark-${this.marked.kind}`;
    node.textContent = this.marked.text;
    return node;
  }

  override ignoreEvent(): boolean {
    return false;
  }
}
