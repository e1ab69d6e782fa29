/** An editor of JupyterLab that is marked as it is told: of a cell, or of a file that is shown. */
import type { CodeMirrorEditor } from '@jupyterlab/codemirror';
import { EditorView } from '@codemirror/view';

import { isEqual, mark, marking, SILENT } from './marks';
import type { Handlers, Told } from './marks';
import { areaOf, spanOf, way } from './sight';

export type MarkableEditor = Pick<CodeMirrorEditor, 'editor' | 'injectExtension'>;

export class MarkedEditor {
  readonly view: EditorView;
  private told = SILENT;

  constructor(editor: MarkableEditor, handlers: Handlers) {
    this.view = editor.editor;
    editor.injectExtension(marking(handlers));
  }

  tell(told: Told): void {
    if (!isEqual(told, this.told)) {
      this.told = told;
      mark(this.view, told);
    }
  }

  /**
   * Brings a line into sight, unless `lets` says that it must not be scrolled so far. What scrolls is around the editor,
   * or the editor itself.
   */
  show(line: number, lets: (by: number) => boolean): void {
    const { view } = this;
    const { scrollDOM: own } = view;
    const area = own.scrollHeight > own.clientHeight + 1 ? own : areaOf(view.dom);
    if (!area || line > view.state.doc.lines) {
      return;
    }
    const by = way(spanOf(view, line), area.getBoundingClientRect());
    if (by === 0 || !lets(by)) {
      return;
    }
    if (area === own) {
      const { from } = view.state.doc.line(line);
      view.dispatch({ effects: EditorView.scrollIntoView(from, { y: 'center' }) });
    } else {
      area.scrollTop += by;
    }
  }
}
