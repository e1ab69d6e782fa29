/** An output that shows what a notebook kept of a session. */
import type { IRenderMime } from '@jupyterlab/rendermime-interfaces';
import { Widget } from '@lumino/widgets';

import type { SavedView } from '../protocol';
import { drawSaved } from './draw';
import { readSaved } from './saved';
import type { Bundle } from './saved';

export class SavedOutput extends Widget implements IRenderMime.IRenderer {
  protected saved: SavedView | null = null;
  private bundle: Bundle = {};

  constructor() {
    super();
    this.addClass('vg-saved');
  }

  renderModel(model: IRenderMime.IMimeModel): Promise<void> {
    this.keep(model);
    this.showPicture();
    return Promise.resolve();
  }

  protected keep(model: IRenderMime.IMimeModel): void {
    this.bundle = model.data;
    this.saved = readSaved(model.data);
  }

  /** `going`: what is being done, or a button, instead of what to do. */
  protected showPicture(going?: string | HTMLButtonElement): void {
    drawSaved(this.node, this.bundle, going);
  }
}
