/** While a view is set out to teach, the left side of JupyterLab leaves it its room, and is put back after. */
import type { ILabShell } from '@jupyterlab/application';

type Shell = Pick<
  ILabShell,
  'leftCollapsed' | 'collapseLeft' | 'expandLeft' | 'layoutModified' | 'restored'
>;

/** Kept beyond a reload, like the layout: was the left side open before? */
const KEY = 'vizgrad:left-side';
/** Milliseconds: a cell that runs again takes its view away, and brings the next. */
const PATIENCE = 1000;

/** Returns a function that ends this. */
export function giveRoomToTeach(shell: Shell): () => void {
  let teaching = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const look = (): void => {
    const now = document.body.classList.contains('vg-teaching');
    if (now === teaching) {
      return;
    }
    teaching = now;
    clearTimeout(timer);
    if (now) {
      hide(shell);
    } else if (document.querySelector('.vg-root')) {
      putBack(shell); // It was switched off: a view is there.
    } else {
      timer = setTimeout(() => putBack(shell), PATIENCE);
    }
  };
  const observer = new MutationObserver(look);
  void shell.restored.then(() => {
    observer.observe(document.body, { attributeFilter: ['class'] });
    look();
    // A side bar that the user opens meanwhile stays open.
    shell.layoutModified.connect(() => {
      if (!shell.leftCollapsed) {
        keep(false);
      }
    });
  });
  return () => observer.disconnect();
}

function hide(shell: Shell): void {
  if (!shell.leftCollapsed) {
    shell.collapseLeft();
    keep(true);
  }
}

function putBack(shell: Shell): void {
  if (isKept() && shell.leftCollapsed) {
    shell.expandLeft();
  }
  keep(false);
}

function keep(open: boolean): void {
  try {
    if (open) {
      localStorage.setItem(KEY, 'open');
    } else {
      localStorage.removeItem(KEY);
    }
  } catch {
    // Where nothing can be kept, the side stays as it is.
  }
}

function isKept(): boolean {
  try {
    return localStorage.getItem(KEY) !== null;
  } catch {
    return false;
  }
}
