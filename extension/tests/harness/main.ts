/** A page with the view over a kernel in memory, to look at and to measure. See README.md here. */
import { openView } from '../../src/view';
import { FakeKernel } from '../fakeKernel';
import { blocks, hostile, mlp } from '../graphs';

const query = new URLSearchParams(location.search);
const which = query.get('graph') ?? 'mlp';
const graphs: Readonly<Record<string, () => ReturnType<typeof mlp>>> = { mlp, hostile };
const size = Number(which.replace(/\D/g, ''));
const graph = graphs[which]?.() ?? blocks(size, !which.startsWith('flat'));

const kernel = new FakeKernel(graph);
const host = document.getElementById('host') as HTMLElement;
host.style.width = `${query.get('width') ?? 1100}px`;
document.body.dataset['jpThemeLight'] = query.get('theme') === 'dark' ? 'false' : 'true';
document.body.classList.add(`theme-${query.get('theme') ?? 'light'}`);
const view = openView(host, kernel, query.has('panel') ? { followNewest: true } : {});
Object.assign(window, { kernel, view });
