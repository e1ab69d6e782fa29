/**
 * The widget: what anywidget loads in JupyterLab, Notebook, VS Code, Colab and marimo.
 *
 * anywidget hands us a model (one comm to the kernel) and an element, once for each time the widget
 * is displayed; several displays of one widget share its model.
 */
import { mountView } from '../view';
import { modelPort } from './modelPort';
import type { WidgetModel } from './modelPort';

function render({ model, el }: { model: WidgetModel; el: HTMLElement }): () => void {
  return mountView(el, modelPort(model));
}

export default { render };
