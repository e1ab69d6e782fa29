/**
 * How wide text is. The kernel sizes boxes without knowing the page's font, and fonts differ between
 * machines by half, so text is measured here and cut where it would not fit.
 */

export type TextRole = 'name' | 'leaf' | 'sub' | 'strong' | 'type' | 'chip' | 'port' | 'title';

/** Size and weight of each role; must agree with graph.raw.css, and with the kernel's cards. */
const FONTS: Readonly<Record<TextRole, { px: number; weight: number; code: boolean }>> = {
  name: { px: 13, weight: 600, code: false },
  leaf: { px: 12, weight: 600, code: false },
  title: { px: 11.5, weight: 600, code: false },
  sub: { px: 11, weight: 400, code: false },
  strong: { px: 11, weight: 600, code: false },
  type: { px: 11, weight: 400, code: true },
  chip: { px: 11, weight: 400, code: true },
  port: { px: 11, weight: 400, code: false }
};

const GUESS = 0.6;
const MAX_CACHED = 20_000;

type Measure = (text: string, role: TextRole) => number;

export class TextMetrics {
  private readonly known = new Map<string, number>();

  constructor(private readonly measure: Measure = guess) {}

  /** Width in pixels at zoom 1. */
  width(text: string, role: TextRole): number {
    const key = `${role} ${text}`;
    let width = this.known.get(key);
    if (width === undefined) {
      width = this.measure(text, role);
      if (this.known.size > MAX_CACHED) {
        this.known.clear();
      }
      this.known.set(key, width);
    }
    return width;
  }

  /** As much of `text` as fits into `room` pixels. Cuts between code points, never inside one. */
  fit(text: string, room: number, role: TextRole): string {
    if (this.width(text, role) <= room) {
      return text;
    }
    const points = Array.from(text.slice(0, 400));
    let low = 0;
    let high = points.length;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      const fits = this.measure(`${points.slice(0, middle).join('')}…`, role) <= room;
      [low, high] = fits ? [middle, high] : [low, middle - 1];
    }
    return `${points.slice(0, Math.max(low, 1)).join('')}…`;
  }
}

function guess(text: string, role: TextRole): number {
  return text.length * FONTS[role].px * GUESS;
}

/** Metrics of the fonts that text inside `element` is drawn with. */
export function metricsOf(element: HTMLElement): TextMetrics {
  const context = canvasContext(element);
  if (!context) {
    return new TextMetrics();
  }
  const style = getComputedStyle(element);
  const ui = style.fontFamily || 'sans-serif';
  const code = style.getPropertyValue('--vg-code') || 'monospace';
  const measure: Measure = (text, role) => {
    const font = FONTS[role];
    context.font = `${font.weight} ${font.px}px ${font.code ? code : ui}`;
    return context.measureText(text).width;
  };
  return new TextMetrics(measure);
}

function canvasContext(element: HTMLElement): CanvasRenderingContext2D | null {
  // jsdom has the element without the drawing, and says so on the console.
  if (navigator.userAgent.includes('jsdom')) {
    return null;
  }
  return element.ownerDocument.createElement('canvas').getContext('2d');
}
