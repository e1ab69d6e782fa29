import { expect, test } from 'vitest';

import { NODE_SELECTED, SELECT_NODE } from '../../view/host';
import { listenIn, onSelected, selectIn } from './pageViews';

/** A view of a session on a page, which notes what it is asked. */
function viewOf(page: Document, session: string): { root: HTMLElement; asked: unknown[] } {
  const root = page.createElement('div');
  root.className = 'vg-root';
  root.dataset['session'] = session;
  const asked: unknown[] = [];
  root.addEventListener(SELECT_NODE, event => asked.push((event as CustomEvent).detail));
  page.body.append(root);
  return { root, asked };
}

test('views of a session are asked, on the page and in windows of ours, others are not', () => {
  const other = document.implementation.createHTMLDocument();
  const end = listenIn(other);
  const [here, there, another] = [
    viewOf(document, 's1'),
    viewOf(other, 's1'),
    viewOf(document, 's"]2')
  ];
  selectIn('s1', { node: 3, nodes: [3] });
  selectIn('s"]2', { node: 1, nodes: [1] });
  end();
  selectIn('s1', { node: 4, nodes: [4] });
  expect(here.asked).toEqual([
    { node: 3, nodes: [3] },
    { node: 4, nodes: [4] }
  ]);
  expect(there.asked).toEqual([{ node: 3, nodes: [3] }]);
  expect(another.asked).toEqual([{ node: 1, nodes: [1] }]);
});

test('what is selected is heard from both', () => {
  const other = document.implementation.createHTMLDocument();
  const ends = [listenIn(other)];
  const heard: unknown[] = [];
  ends.push(onSelected(selected => heard.push(selected)));
  for (const page of [document, other]) {
    const detail = { session: 's1', node: heard.length };
    const { root } = viewOf(page, 's1');
    root.dispatchEvent(new CustomEvent(NODE_SELECTED, { detail, bubbles: true, composed: true }));
  }
  ends.forEach(end => end());
  expect(heard).toEqual([
    { session: 's1', node: 0 },
    { session: 's1', node: 1 }
  ]);
});
