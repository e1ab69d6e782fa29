import { DockPanel, TabPanel, Widget } from '@lumino/widgets';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';

import { bringToFront } from './shell';
import type { MainArea } from './shell';

vi.hoisted(() => {
  // jsdom has none, and the library of widgets needs one to be there.
  Object.assign(globalThis, { DragEvent: MouseEvent });
});

const area: MainArea = { add: () => undefined, activate: vi.fn() };

/** Something that can have the focus. */
function page(): Widget {
  const made = new Widget();
  made.node.innerHTML = '<input>';
  return made;
}
const focus = (widget: Widget): void => widget.node.querySelector('input')?.focus();

let notebook: Widget;
let view: Widget;
let outer: DockPanel | TabPanel;

beforeEach(() => {
  [notebook, view] = [page(), page()];
});
afterEach(() => outer.dispose());

describe.each(['dock', 'tabs'])('in %s', kind => {
  beforeEach(() => {
    if (kind === 'dock') {
      const dock = new DockPanel();
      Widget.attach(dock, document.body);
      dock.addWidget(notebook);
      dock.addWidget(view, { mode: 'tab-after', ref: notebook });
      dock.selectWidget(notebook);
      outer = dock;
    } else {
      const tabs = new TabPanel();
      Widget.attach(tabs, document.body);
      tabs.addWidget(notebook);
      tabs.addWidget(view);
      tabs.currentWidget = notebook;
      outer = tabs;
    }
    document.body.append(document.createElement('button'));
    expect(view.isVisible).toBe(false);
  });

  test('a view comes to the front, and takes no focus', () => {
    const button = document.querySelector<HTMLElement>('body > button');
    button?.focus();
    expect(bringToFront(view, area, false)).toBe(true);
    expect(view.isVisible).toBe(true);
    expect(document.activeElement).toBe(button);
  });

  test('not where it would hide what has the focus, unless it was asked for', () => {
    focus(notebook);
    expect(bringToFront(view, area, false)).toBe(false);
    expect(notebook.isVisible).toBe(true);
    expect(bringToFront(view, area, true)).toBe(true);
    expect(view.isVisible).toBe(true);
  });
});

test('where one document is shown at a time it comes when it was asked for', () => {
  const dock = new DockPanel({ mode: 'single-document' });
  outer = dock;
  Widget.attach(dock, document.body);
  dock.addWidget(notebook);
  dock.addWidget(view);
  dock.selectWidget(notebook);
  expect(bringToFront(view, area, false)).toBe(false);
  expect(bringToFront(view, area, true)).toBe(true);
});

test('anywhere else the page is asked to show it', () => {
  outer = new DockPanel();
  bringToFront(view, area, false);
  expect(area.activate).not.toHaveBeenCalled();
  bringToFront(view, area, true);
  expect(area.activate).toHaveBeenCalledExactlyOnceWith(view);
});
