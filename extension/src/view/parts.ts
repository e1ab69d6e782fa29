/** The parts of a view, between which keys go: toolbars, the graph, tabs and panels. */
import type { DebuggerStore } from '../store';

const PARTS = '.vg-sessions select, .vg-toolbar-group, .vg-canvas, .vg-tabs, .vg-region-body';
const STOP = 'button, input, select, [tabindex="0"]';

/** To the next or the previous part that is shown; from the last to the first. */
export function goToPart(root: HTMLElement, by: 1 | -1): void {
  const parts = [...root.querySelectorAll<HTMLElement>(PARTS)].filter(
    part => !part.querySelector('.vg-canvas')
  );
  const active = root.ownerDocument.activeElement;
  const here = parts.findIndex(part => part.contains(active));
  const next = parts[(here + by + parts.length) % parts.length];
  if (next) {
    const stop = next.matches(`${STOP}, .vg-region-body`) ? next : next.querySelector(STOP);
    (stop as HTMLElement | SVGElement | null)?.focus({ preventScroll: true });
  }
}

/** To the box of the graph that Tab reaches. */
export function goToGraph(root: HTMLElement): void {
  root.querySelector<SVGElement>('.vg-canvas [tabindex="0"]')?.focus({ preventScroll: true });
}

/** To the node that a search has found, so that arrows walk on from there. */
function goToFound(root: HTMLElement, node: number | null): void {
  const found = root.querySelector<SVGElement>(`.vg-canvas [data-node-id="${node}"]`);
  if (found) {
    found.focus({ preventScroll: true });
  } else {
    goToGraph(root);
  }
}

/** Escape: closes what is open, else goes to the graph, else goes back to the node that the run is about. */
export function escape(root: HTMLElement, target: Element, store: DebuggerStore): void {
  const { view } = store.state.value;
  const inGraph = target.closest('.vg-canvas') !== null;
  if (view.help) {
    store.view({ help: false });
  } else if (view.search) {
    store.view({ search: null });
    goToFound(root, view.search.index < 0 ? null : view.selection);
  } else if (!inGraph) {
    goToGraph(root);
  } else {
    store.home();
  }
}
