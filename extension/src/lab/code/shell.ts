/** Where views of files are put: beside the notebook in JupyterLab, below it in Notebook 7. */
import type { ILabShell, JupyterFrontEnd } from '@jupyterlab/application';
import { DockPanel, SplitPanel, TabPanel } from '@lumino/widgets';
import type { Widget } from '@lumino/widgets';

/** Parts of the height that are too little for a text, and that one is given. */
const LEAST = 0.1;
const ROOM = 0.35;

export interface MainArea {
  /** Adds a view without giving it the focus: in a row with `last`, else beside `notebook`. */
  add(view: Widget, last: Widget | null, notebook: Widget): void;
  /** Shows a view where nothing less does. */
  activate(view: Widget): void;
}

export function mainArea(shell: JupyterFrontEnd.IShell, lab: ILabShell | null): MainArea {
  const activate = (view: Widget): void => shell.activateById(view.id);
  return {
    activate,
    add: (view, last, notebook) => {
      if (!lab) {
        shell.add(view, 'down'); // Its main area has room for one.
      } else if (last) {
        lab.add(view, 'main', { mode: 'tab-after', ref: last.id, activate: false });
      } else {
        lab.add(view, 'main', { mode: 'split-right', ref: notebook.id, activate: false });
      }
    }
  };
}

/**
 * Brings the tab of a view to the front, and gives it no focus; false if that would hide what has the focus, unless it
 * was asked for.
 */
export function bringToFront(view: Widget, area: MainArea, asked: boolean): boolean {
  if (view.isVisible) {
    return true;
  }
  for (let each = view.parent; each; each = each.parent) {
    if (each instanceof DockPanel) {
      const bar = [...each.tabBars()].find(({ titles }) => titles.includes(view.title));
      const front = bar?.currentTitle?.owner ?? null;
      if (asked || (each.mode === 'multiple-document' && !hasFocus(front))) {
        each.selectWidget(view);
      }
      return view.isVisible;
    }
    if (each instanceof TabPanel) {
      if (asked || !hasFocus(each.currentWidget)) {
        each.show();
        each.currentWidget = view;
        giveRoom(each);
      }
      return view.isVisible;
    }
  }
  if (asked) {
    area.activate(view);
  }
  return view.isVisible;
}

/** Notebook 7 shows its lower area with no height, unless a person has given it some. */
function giveRoom(panel: TabPanel): void {
  const split = panel.parent;
  if (split instanceof SplitPanel && split.orientation === 'vertical') {
    const at = split.widgets.indexOf(panel);
    const sizes = split.relativeSizes();
    if ((sizes[at] ?? 0) < LEAST) {
      split.setRelativeSizes(sizes.map((size, i) => (i === at ? ROOM : size * (1 - ROOM))));
    }
  }
}

function hasFocus(widget: Widget | null): boolean {
  return widget?.node.contains(document.activeElement) ?? false;
}
