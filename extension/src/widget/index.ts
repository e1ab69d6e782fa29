/**
 * The widget: what anywidget loads in JupyterLab, Notebook, VS Code, Colab and marimo.
 *
 * anywidget hands us a model (one comm to the kernel) and an element, once for each time the widget
 * is displayed; several displays of one widget share its model.
 */
import { openView } from '../view';
import { modelPort } from './modelPort';
import type { WidgetModel } from './modelPort';
import { pictureUntilAnswered } from './picture';

interface Displayed extends WidgetModel {
  /** A picture for pages without a kernel, by mime types. */
  get(name: 'still'): unknown;
}

function render({ model, el }: { model: Displayed; el: HTMLElement }): () => void {
  const room = el.appendChild(document.createElement('div'));
  const view = openView(room, modelPort(model));
  const end = pictureUntilAnswered(el, room, view.store, model.get('still'));
  return () => {
    end();
    view.unmount();
    room.remove();
  };
}

export default { render };
