/**
 * Brings a line into sight, never against the person: what they have in hand stays where it is.
 *
 * For a step nothing is scrolled where they are typing, where they have just scrolled, or work with the pointer: the
 * button that they press again would be gone. Where they use keys, what has the keyboard stays in sight, and so it does
 * where they have asked to see the line.
 */
import type { EditorView } from '@codemirror/view';

/** 'step': the run came to the line. 'asked': a person wants to see it. */
export type Why = 'step' | 'asked';

/** Milliseconds in which a user who scrolls is not disturbed. */
const PATIENCE = 1500;
/** Pixels that are left beyond a line that is brought into sight. */
const MARGIN = 48;

/** From top to bottom, on the screen. */
export interface Span {
  readonly top: number;
  readonly bottom: number;
}

/** How far an area has to be scrolled to show a line. */
export function way(line: Span, area: Span): number {
  const room = Math.max(
    Math.min(MARGIN, (area.bottom - area.top - (line.bottom - line.top)) / 2),
    0
  );
  if (line.top < area.top) {
    return line.top - area.top - room;
  }
  return line.bottom > area.bottom ? line.bottom - area.bottom + room : 0;
}

/** What a person does within an area that scrolls. */
export class Hand {
  private scrolled = Number.NEGATIVE_INFINITY;
  private last: 'pointer' | 'key' | null = null;
  private readonly ends: (() => void)[] = [];

  constructor(
    private readonly area: HTMLElement,
    private readonly now: () => number = () => performance.now()
  ) {
    const on = (type: string, hear: () => void): void => {
      area.addEventListener(type, hear, { capture: true, passive: true });
      this.ends.push(() => area.removeEventListener(type, hear, { capture: true }));
    };
    const scrolls = (): void => {
      this.scrolled = this.now();
    };
    on('wheel', scrolls);
    on('touchmove', scrolls);
    on('pointerdown', () => {
      this.last = 'pointer';
    });
    on('keydown', () => {
      this.last = 'key';
    });
  }

  dispose(): void {
    this.ends.splice(0).forEach(end => end());
  }

  /** May the area be scrolled so far? */
  lets(by: number, why: Why): boolean {
    const { area } = this;
    const active = area.ownerDocument.activeElement;
    const inside = active instanceof HTMLElement || active instanceof SVGElement ? active : null;
    if (why === 'step' && this.now() - this.scrolled < PATIENCE) {
      return false;
    }
    if (inside === null || inside === area || !area.contains(inside)) {
      return true;
    }
    if (why === 'step' && (isTyping(inside) || this.last === 'pointer')) {
      return false;
    }
    const { top, bottom } = inside.getBoundingClientRect();
    const room = area.getBoundingClientRect();
    const isSeen = bottom > room.top && top < room.bottom;
    return !isSeen || (top - by >= room.top && bottom - by <= room.bottom);
  }
}

function isTyping(element: Element): boolean {
  const editor = element.closest('.cm-content');
  return editor !== null && !editor.closest('.jp-mod-readOnly');
}

export function nextFrame(): Promise<unknown> {
  return new Promise(done => requestAnimationFrame(done));
}

/** What scrolls around an element: not what could, but has room for all of it. */
export function areaOf(element: HTMLElement): HTMLElement | null {
  for (let each = element.parentElement; each; each = each.parentElement) {
    const scrolls = /auto|scroll/.test(getComputedStyle(each).overflowY);
    if (scrolls && each.scrollHeight > each.clientHeight) {
      return each;
    }
  }
  return null;
}

/** Where a line of an editor is on the screen, drawn or not. */
export function spanOf(view: EditorView, line: number): Span {
  const { doc } = view.state;
  const block = view.lineBlockAt(doc.line(Math.min(line, doc.lines)).from);
  const { documentTop, scaleY } = view;
  return { top: documentTop + block.top * scaleY, bottom: documentTop + block.bottom * scaleY };
}
