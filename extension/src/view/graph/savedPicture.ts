/**
 * The graph as it is seen, as a picture for slides and messages: an SVG that needs no style sheet, or the PNG of it.
 * What is drawn is on the screen: *Zoom to fit* comes first where all is wanted.
 */
import type { Size } from './geometry';

const SVG = 'http://www.w3.org/2000/svg';
/** Dots of a PNG for one pixel of the screen: sharp on paper and on a projector. */
const DENSITY = 2;

/** What the style sheet says of a shape or a text. */
const STYLES = [
  'fill',
  'fill-opacity',
  'font-family',
  'font-size',
  'font-style',
  'font-weight',
  'letter-spacing',
  'opacity',
  'paint-order',
  'stroke',
  'stroke-dasharray',
  'stroke-linecap',
  'stroke-linejoin',
  'stroke-opacity',
  'stroke-width',
  'text-anchor',
  'visibility'
] as const;

/** Nothing is to be seen of these: what a pointer hits, and what moves. */
const UNSEEN = '.vg-hit, .vg-deliveries';
/** What a picture needs; the rest is for scripts, keys and screen readers. */
const KEPT =
  /^(xmlns|viewBox|width|height|transform|d|r|rx|ry|x|y|dx|dy|x1|x2|y1|y2|cx|cy|points|id|pathLength)$/;

/** The text of an SVG of this size, which looks as `svg` does on the page. */
export function pictureOf(svg: SVGSVGElement, { width, height }: Size, title: string): string {
  const copy = svg.cloneNode(true) as SVGSVGElement;
  const originals = [svg, ...svg.querySelectorAll('*')];
  const copies = [copy, ...copy.querySelectorAll('*')];
  const away: Element[] = [];
  originals.forEach((original, index) => {
    const own = copies[index] as Element;
    const style = getComputedStyle(original);
    if (original.matches(UNSEEN) || style.display === 'none') {
      away.push(own);
      return;
    }
    for (const { name } of [...own.attributes]) {
      if (!KEPT.test(name)) {
        own.removeAttribute(name);
      }
    }
    for (const name of STYLES) {
      const value = style.getPropertyValue(name);
      if (value !== '' && value !== inherited(original, name)) {
        own.setAttribute(name, value);
      }
    }
  });
  away.forEach(element => element.remove());
  copy.setAttribute('viewBox', `0 0 ${width} ${height}`);
  copy.setAttribute('width', `${width}`);
  copy.setAttribute('height', `${height}`);
  const ground = document.createElementNS(SVG, 'rect');
  ground.setAttribute('width', '100%');
  ground.setAttribute('height', '100%');
  ground.setAttribute('fill', groundOf(svg));
  const name = document.createElementNS(SVG, 'title');
  name.textContent = title;
  copy.prepend(name, ground);
  return new XMLSerializer().serializeToString(copy);
}

/** What the element around it says, where that goes for those in it, too: then it is said once. */
function inherited(element: Element, name: string): string {
  const around = element.parentElement;
  return name === 'opacity' || around === null || element.tagName === 'svg'
    ? ''
    : getComputedStyle(around).getPropertyValue(name);
}

/** The colour behind it: that of the first element around it that has one. */
function groundOf(element: Element): string {
  for (let each: Element | null = element; each; each = each.parentElement) {
    const { backgroundColor } = getComputedStyle(each);
    if (backgroundColor !== '' && !/^(transparent|rgba\(.*, 0\))$/.test(backgroundColor)) {
      return backgroundColor;
    }
  }
  return 'white';
}

/** The same as a PNG. */
export async function pngOf(text: string, { width, height }: Size): Promise<Blob> {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  await image.decode();
  const canvas = document.createElement('canvas');
  canvas.width = width * DENSITY;
  canvas.height = height * DENSITY;
  const context = canvas.getContext('2d');
  context?.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) => {
    canvas.toBlob(
      blob => (blob ? resolve(blob) : reject(new Error('The browser made no picture.'))),
      'image/png'
    );
  });
}

/** Hands a file to the browser to be saved. */
export function save(blob: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** Puts the PNG on the clipboard; where the browser lets nobody do that it is saved. */
export async function copyPicture(png: Promise<Blob>, name: string): Promise<void> {
  try {
    // The promise itself: a click counts for a moment only, and making the picture takes longer.
    await navigator.clipboard.write([new ClipboardItem({ 'image/png': png })]);
  } catch {
    save(await png, name);
  }
}

/** A name for a file: what a title has besides letters and digits is no part of it. */
export function fileName(title: string, kind: 'svg' | 'png'): string {
  const name = title.replace(/[^\p{L}\p{N}._-]+/gu, '-').replace(/^[-.]+|[-.]+$/g, '');
  return `${name || 'graph'}.${kind}`;
}
