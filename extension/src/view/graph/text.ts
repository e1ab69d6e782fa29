/**
 * How wide text is. The kernel sizes boxes without knowing the page's font, and fonts differ between
 * machines by half, so text is measured here and cut where it would not fit.
 */

export type TextRole = 'name' | 'leaf' | 'sub' | 'strong' | 'type' | 'chip' | 'port' | 'title';

/** Size and weight of each role; must agree with cards.raw.css, and with the kernel's cards. */
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
  private readonly others = new Map<number, TextMetrics>();

  constructor(
    private readonly measure: Measure = guess,
    /** Type is larger than boxes were made for. */
    readonly enlarged = false
  ) {}

  /** The same fonts, where no type is smaller than this: as `--vg-least` in cards.raw.css. */
  atLeast(px: number): TextMetrics {
    let metrics = this.others.get(px);
    if (!metrics) {
      metrics = new TextMetrics(
        (text, role) => this.width(text, role) * Math.max(1, px / FONTS[role].px),
        px > FONTS.port.px
      );
      this.others.set(px, metrics);
    }
    return metrics;
  }

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

  /**
   * As much of `text` as fits into `room` pixels: what is too long loses its middle, where names differ least.
   * Cuts between code points, never inside one.
   */
  fit(text: string, room: number, role: TextRole): string {
    if (this.width(text, role) <= room) {
      return text;
    }
    const points = Array.from(text.slice(0, 400));
    let low = 1;
    let high = Math.max(points.length - 1, 1);
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      const fits = this.measure(withoutMiddle(points, middle), role) <= room;
      [low, high] = fits ? [middle, high] : [low, middle - 1];
    }
    return withoutMiddle(points, low);
  }
}

/** The first and the last of so many code points. */
function withoutMiddle(points: readonly string[], kept: number): string {
  const last = Math.floor(kept / 2);
  const end = last > 0 ? points.slice(-last) : [];
  return `${points.slice(0, kept - last).join('')}…${end.join('')}`;
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
