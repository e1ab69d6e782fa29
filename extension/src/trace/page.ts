/** The page that `trace.export` writes: the view, and the file of the trace in it. */
import { openTrace } from './open';

const file = document.getElementById('vg-file');
const host = document.getElementById('vg-host');
if (file && host) {
  void openTrace(host, file.textContent, '');
}
