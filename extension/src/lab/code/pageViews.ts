/** The views on the page and in windows of ours, which select what is selected in the code. */
import { NODE_SELECTED, SELECT_NODE } from '../../view/host';
import type { NodeAsked, NodeSelected } from '../../view/host';

/** Pages with views. */
const pages = new Set<Document>([document]);

/** What is selected in a window of ours is said on this page, until what this returns is called. */
export function listenIn(page: Document): () => void {
  const say = (event: Event): void => {
    const { detail } = event as CustomEvent<NodeSelected>;
    document.dispatchEvent(new CustomEvent(NODE_SELECTED, { detail }));
  };
  page.addEventListener(NODE_SELECTED, say);
  pages.add(page);
  return () => {
    page.removeEventListener(NODE_SELECTED, say);
    pages.delete(page);
  };
}

/** The views of a session are to select a node. */
export function selectIn(session: string, asked: NodeAsked): void {
  for (const page of pages) {
    for (const root of page.querySelectorAll<HTMLElement>('.vg-root')) {
      if (root.dataset['session'] === session) {
        root.dispatchEvent(new CustomEvent(SELECT_NODE, { detail: asked }));
      }
    }
  }
}

/** Hears what is selected in whichever view. */
export function onSelected(hear: (selected: NodeSelected) => void): () => void {
  const told = (event: Event): void => hear((event as CustomEvent<NodeSelected>).detail);
  document.addEventListener(NODE_SELECTED, told);
  return () => document.removeEventListener(NODE_SELECTED, told);
}
