/** A file that recorded nodes, as it ran: read-only, and marked like a cell. */
import { CodeEditor } from '@jupyterlab/codeeditor';
import type { IEditorServices } from '@jupyterlab/codeeditor';
import type { Message } from '@lumino/messaging';
import { Widget } from '@lumino/widgets';

import type { Message as Heard } from '../../protocol';
import { icon } from '../graphPanel';
import { MarkedEditor } from './markedEditor';
import type { MarkableEditor } from './markedEditor';
import { SILENT } from './marks';
import type { AtCursor, Told } from './marks';
import { focusChoice } from './panels';
import { showAtCursor } from './valueTip';
import type { ValueOf } from './valueTip';

export type Source = Pick<Extract<Heard, { type: 'source' }>, 'text' | 'changed' | 'gone'>;

export interface SourceHandlers {
  goes(line: number): void;
  toggles(line: number): void;
  chooses(node: number): void;
  runsTo(line: number): void;
  readonly valueOf: ValueOf;
  /** The name at the cursor has none. */
  noValue(): void;
  /** It has come into sight. */
  shown(): void;
  /** A person has closed it. */
  closed(): void;
}

const STILL_HERE = 'The file has changed since it ran. This is the version that ran.';

let made = 0;

export class SourceView extends Widget implements AtCursor {
  private readonly model = new CodeEditor.Model({ mimeType: 'text/x-python' });
  private readonly editor: CodeEditor.IEditor;
  private readonly marked: MarkedEditor;
  private readonly host = document.createElement('div');
  private readonly word = document.createElement('p');
  private told: Told = SILENT;
  private note = '';
  /** Is the text the one that ran? Not known before it is there. */
  isTrue = false;

  constructor(
    path: string,
    { factoryService }: IEditorServices,
    private readonly handlers: SourceHandlers
  ) {
    super();
    made += 1;
    const name = path.replaceAll('\\', '/').split('/').at(-1) ?? path;
    this.id = `vizgrad-source-${made}`;
    this.addClass('vg-source-view');
    this.title.label = name;
    this.title.caption = `${path} (read-only: what the backward does there)`;
    this.title.icon = icon;
    this.title.closable = true;
    this.word.className = 'vg-source-gone';
    this.word.setAttribute('role', 'status');
    this.host.className = 'vg-source-text';
    this.node.append(this.word, this.host);
    this.editor = factoryService.newDocumentEditor({
      host: this.host,
      model: this.model,
      config: { readOnly: true, lineNumbers: true, codeFolding: false }
    });
    // JupyterLab has no other editors.
    this.marked = new MarkedEditor(this.editor as CodeEditor.IEditor & MarkableEditor, {
      goes: (_, line) => handlers.goes(line),
      toggles: (_, line) => handlers.toggles(line),
      chooses: (_, node) => handlers.chooses(node),
      valueOf: expression => handlers.valueOf(expression),
      shifts: () => undefined // Nobody writes here.
    });
    this.marked.view.contentDOM.setAttribute('aria-label', `${name}, read-only`);
  }

  /** What the kernel reads in the file now. `anew`: what is shown was of another session. */
  read({ text, changed, gone }: Source, anew = false): void {
    const keeps = this.isTrue && !anew && (changed || gone !== '');
    this.note = keeps ? STILL_HERE : '';
    if (!keeps) {
      this.isTrue = !changed && gone === '';
      if (this.model.sharedModel.getSource() !== text) {
        this.model.sharedModel.setSource(text);
      }
      this.word.textContent = gone;
      this.host.hidden = gone !== '';
    }
    this.tell(this.told);
  }

  tell(told: Told): void {
    this.told = told;
    const other = told.marks !== null && !this.isTrue;
    this.marked.tell({ ...told, other, note: this.note });
  }

  /** Brings a line into sight, unless `lets` says that it must not be scrolled so far. */
  showLine(line: number, lets: (by: number) => boolean): void {
    this.marked.show(line, lets);
  }

  toggleAtCursor(): void {
    this.handlers.toggles(this.editor.getCursorPosition().line + 1);
  }

  chooseAtCursor(): void {
    focusChoice(this.marked.view);
  }

  valueAtCursor(): void {
    void showAtCursor(this.marked.view, this.handlers.valueOf).then(
      shown => shown || this.handlers.noValue()
    );
  }

  runToCursor(): void {
    this.handlers.runsTo(this.editor.getCursorPosition().line + 1);
  }

  override dispose(): void {
    if (!this.isDisposed) {
      this.editor.dispose();
      this.model.dispose();
    }
    super.dispose();
  }

  protected override onActivateRequest(message: Message): void {
    super.onActivateRequest(message);
    this.editor.focus();
  }

  protected override onAfterShow(message: Message): void {
    super.onAfterShow(message);
    this.handlers.shown();
  }

  protected override onCloseRequest(message: Message): void {
    super.onCloseRequest(message);
    this.handlers.closed();
    this.dispose();
  }
}
