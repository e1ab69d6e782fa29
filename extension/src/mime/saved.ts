/** What a notebook keeps of a session. It is data of strangers: checked here, shown as text and as an image. */
import type { SavedView } from '../protocol';

export const MIME = 'application/vnd.vizgrad.session+json';

/** The parts of an output. */
export type Bundle = Readonly<Record<string, unknown>>;

/** Null where it is none of ours. */
export function readSaved(bundle: Bundle): SavedView | null {
  const value = bundle[MIME];
  if (typeof value !== 'object' || value === null) {
    return null;
  }
  const fields = { still: '', ...value } as Record<string, unknown>; // notebooks of before have none
  const { session, title, status, position, total, view, still } = fields;
  const texts = [session, title, status, view, still];
  return texts.every(isShort) && [position, total].every(Number.isSafeInteger)
    ? (fields as unknown as SavedView)
    : null;
}

/** The SVG text of the picture; '': there is none. */
export function svgIn(bundle: Bundle): string {
  return textIn(bundle['image/svg+xml']);
}

/** How far down a picture what runs next is, of 1: the middle of its box; null: nothing is next, or it is not known. */
export function nextIn(svg: string): number | null {
  const read = new DOMParser().parseFromString(svg, 'image/svg+xml'); // Nothing in it runs.
  const height = Number(read.documentElement.getAttribute('height'));
  const group = read.querySelector('g.current');
  const box = group?.querySelector('rect.body');
  if (!group || !box || !(height > 0)) {
    return null;
  }
  let y = (Number(box.getAttribute('y')) + Number(box.getAttribute('height'))) / 2;
  for (let each: Element | null = group; each; each = each.parentElement) {
    const moved = /^translate\(\S+ (\S+)\)$/.exec(each.getAttribute('transform') ?? '');
    y += Number(moved?.[1] ?? 0);
  }
  return Number.isFinite(y) ? Math.min(Math.max(y / height, 0), 1) : null;
}

/** The picture as the address of an image: nothing in it can run, and it loads nothing. */
export function pictureOf(bundle: Bundle): string | null {
  const svg = svgIn(bundle);
  return svg ? addressOf(svg) : null;
}

export function addressOf(svg: string): string {
  return `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
}

export function plainText(bundle: Bundle): string {
  return textIn(bundle['text/plain']);
}

/** `Saved picture of loss, In [7]: 3 of 6 nodes done.` or `loss, In [7], as of step 3 of 6.` */
export function told({ title, position, total, status, still }: SavedView): string {
  const state = status === 'paused' ? '' : ` (${status})`;
  if (still) {
    return `${title}, as of step ${position} of ${total}${state}. ${still} moved the session on.`;
  }
  return `Saved picture of ${title}: ${position} of ${total} ${total === 1 ? 'node' : 'nodes'} done${state}.`;
}

function textIn(value: unknown): string {
  const lines: unknown[] = Array.isArray(value) ? value : [value];
  return lines.filter(line => typeof line === 'string').join('');
}

function isShort(value: unknown): boolean {
  return typeof value === 'string' && value.length <= 1000;
}
