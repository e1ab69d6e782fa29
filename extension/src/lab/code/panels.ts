/** What stands below the text of an editor: that it is another than the one that ran, and nodes to choose from. */
import type { EditorView } from '@codemirror/view';
import type { Panel } from '@codemirror/view';

import { called, inWords, isEqual } from './choice';
import type { Choice } from './choice';

const CHANGED = 'Edited since it ran. Run the cell to see line marks.';

/** What is said of the text; empty: nothing. */
export function notePanel(note: string): () => Panel {
  return () => {
    const dom = document.createElement('div');
    dom.className = 'vg-cell-changed';
    dom.textContent = note;
    return { dom };
  };
}

export const changedPanel = notePanel(CHANGED);

/** A list of the nodes of a line. `read`: what there is to choose; `chooses`: a person has. */
export function choicePanel(
  read: (view: EditorView) => Choice | null,
  chooses: (view: EditorView, node: number) => void
): (view: EditorView) => Panel {
  return view => {
    const dom = document.createElement('div');
    dom.className = 'vg-line-nodes';
    dom.dataset['lmSuppressShortcuts'] = 'true'; // Its keys are its own, not those of a notebook.
    const label = document.createElement('label');
    const words = document.createElement('span');
    const list = document.createElement('select');
    label.append(words, list);
    dom.append(label);
    // A notebook would give its focus to the text of the cell.
    dom.addEventListener('focusin', event => event.stopPropagation());
    list.addEventListener('change', () => chooses(view, Number(list.value)));
    dom.addEventListener('keydown', event => {
      event.stopPropagation();
      if (event.key === 'Escape') {
        event.preventDefault();
        view.focus();
      }
    });
    let shown: Choice | null = null;
    const show = (): void => {
      const choice = read(view);
      if (choice === null || isEqual(choice, shown)) {
        return;
      }
      if (choice.nodes !== shown?.nodes || choice.number !== shown.number) {
        words.textContent = inWords(choice);
        list.replaceChildren(...choice.nodes.map(each => option(called(each, choice), each.node)));
        if (choice.more > 0) {
          const rest = option(`and ${choice.more} more`, -1);
          rest.disabled = true;
          list.append(rest);
        }
      }
      list.value = `${choice.node}`;
      shown = choice;
    };
    show();
    return { dom, update: show };
  };
}

function option(text: string, node: number): HTMLOptionElement {
  const made = document.createElement('option');
  made.textContent = text;
  made.value = `${node}`;
  return made;
}

/** Gives the list of the editor the keyboard, if there is one. */
export function focusChoice(view: EditorView): void {
  view.dom.querySelector<HTMLSelectElement>('.vg-line-nodes select')?.focus();
}
