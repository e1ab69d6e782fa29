/** The page that `trace.export` writes: the view, and the file of the trace in it. */
import { openTrace } from './open';

// A page that shows this one in a frame says by the address (`#dark`) how it looks itself.
const look = () => {
  const light = { '#light': 'true', '#dark': 'false' }[location.hash];
  if (light) {
    document.body.dataset['jpThemeLight'] = light;
  }
};
look();
addEventListener('hashchange', look);

const file = document.getElementById('vg-file');
const host = document.getElementById('vg-host');
if (file && host) {
  void openTrace(host, file.textContent, '');
}
