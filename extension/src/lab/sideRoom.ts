/** How wide the side panel opens: JupyterLab gives it 250 pixels, in which nothing can be read. */
import type { ILabShell } from '@jupyterlab/application';
import { SplitPanel } from '@lumino/widgets';
import type { Widget } from '@lumino/widgets';

export const SIDE = 480;

/** The part of JupyterLab's shell that shares the width out; it has no name that is promised. */
interface Shared {
  readonly _hsplitPanel?: {
    readonly node: HTMLElement;
    relativeSizes(): number[];
    setRelativeSizes(sizes: number[]): void;
  };
}

/** Widens the right side until the panel has room, once; at most to half of the window. */
export function widenOnce(shell: ILabShell, panel: Widget): () => void {
  let widened = false;
  return () => {
    const split = (shell as unknown as Shared)._hsplitPanel;
    if (widened || !split || typeof split.setRelativeSizes !== 'function') {
      return;
    }
    widened = true;
    requestAnimationFrame(() => widen(split, panel));
  };
}

/** The same in a shell of which nothing is known, as that of Notebook 7: in what shares the width out around the panel. */
export function widenWhereItIs(panel: Widget): void {
  requestAnimationFrame(() => {
    for (let each = panel.parent; each; each = each.parent) {
      if (each instanceof SplitPanel && each.orientation === 'horizontal') {
        widen(each, panel);
        return;
      }
    }
  });
}

type Split = NonNullable<Shared['_hsplitPanel']>;

function widen(split: Split, panel: Widget): void {
  const all = split.node.getBoundingClientRect().width;
  const own = panel.node.getBoundingClientRect().width;
  const missing = Math.min(SIDE, all / 2) - own;
  const sizes = split.relativeSizes();
  const right = sizes.length - 1;
  if (own === 0 || missing <= 0 || all === 0 || right < 1) {
    return;
  }
  const wanted = sizes.map((size, i) =>
    i === right ? size + missing / all : i === right - 1 ? size - missing / all : size
  );
  if (wanted.every(size => size >= 0)) {
    split.setRelativeSizes(wanted);
  }
}
