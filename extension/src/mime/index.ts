/** The renderer of saved sessions, for every place that shows outputs; notebooks have one that can be live. */
import type { IRenderMime } from '@jupyterlab/rendermime-interfaces';

import { MIME } from './saved';
import { SavedOutput } from './savedOutput';

/** Before that of widgets (-10): a widget whose kernel is gone is an error message there. */
export const RANK = -20;

/** Safe: what is in an output is shown as text and as an image, also where the notebook is not trusted. */
export const factory: IRenderMime.IRendererFactory = {
  safe: true,
  mimeTypes: [MIME],
  defaultRank: RANK,
  createRenderer: () => new SavedOutput()
};

const extension: IRenderMime.IExtension = {
  id: 'vizgrad:saved',
  description: 'Shows saved pictures of debugging sessions',
  rendererFactory: factory,
  rank: RANK,
  dataType: 'json'
};

export default extension;
