/** A page with the view over a kernel in memory, to look at and to measure. See README.md here. */
import { openView } from '../../src/view';
import { Player } from '../player';
import { RECORDINGS } from '../recordings';

const query = new URLSearchParams(location.search);
const which = query.get('graph') ?? 'mlp';
const recorded = Object.entries(RECORDINGS).find(([name]) => name === which)?.[1] ?? RECORDINGS.mlp;

const kernel = new Player(recorded);
const host = document.getElementById('host') as HTMLElement;
host.style.width = `${query.get('width') ?? 1100}px`;
document.body.dataset['jpThemeLight'] = query.get('theme') === 'dark' ? 'false' : 'true';
document.body.classList.add(`theme-${query.get('theme') ?? 'light'}`);
const view = openView(host, kernel, query.has('panel') ? { followNewest: true } : {});
Object.assign(window, { kernel, view });
