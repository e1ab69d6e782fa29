/** The renderer of saved sessions, for every place that shows outputs; notebooks have one that can be live. */
import type { IRenderMime } from '@jupyterlab/rendermime-interfaces';

import { COURSE_MIME } from './course';
import { CourseOutput } from './courseOutput';
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

/** The curves of a training: safe for the same reason. */
const courses: IRenderMime.IRendererFactory = {
  safe: true,
  mimeTypes: [COURSE_MIME],
  defaultRank: RANK,
  createRenderer: () => new CourseOutput()
};

const extensions: IRenderMime.IExtension[] = [
  {
    id: 'vizgrad:saved',
    description: 'Shows saved pictures of debugging sessions',
    rendererFactory: factory,
    rank: RANK,
    dataType: 'json'
  },
  {
    id: 'vizgrad:course',
    description: 'Shows the course of a training, while it runs and saved',
    rendererFactory: courses,
    rank: RANK,
    dataType: 'json'
  }
];

export default extensions;
