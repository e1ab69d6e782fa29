/**
 * Titles of groups seen from far away: as large on the screen as always, as many as have room. Outer
 * groups come before inner ones, large ones before small ones.
 */
import type { DrawnBox, DrawnFrame } from '../../protocol';
import { padded, touches } from './geometry';
import type { Box, Point } from './geometry';
import { frameKey, isFolded } from './picture';
import type { Picture } from './picture';
import type { Head } from './sticky';
import { fitTitle } from './titleForms';

export interface FarTitle {
  readonly key: string;
  readonly text: string;
  readonly x: number;
  /** Of the base line. */
  readonly y: number;
  /** In pixels of the picture. */
  readonly size: number;
  /** Of one within its frame: it stays in sight. */
  readonly head: Head | null;
}

/** On the screen. */
const SIZE = 12;
const MOST = 80;
/** In units of the size: so much of a title is written beside a box, and a frame that is wide has it inside. */
const BESIDE = 16;
const WIDE = 12;
/** Where nothing else is, so much. */
const FREE = 60;
/** Fewer letters than this of a title are left out. */
const LEAST = 4;

/** `scale` is how many pixels of the picture are one on the screen, `sight` what is on it. */
export function titlePlaces(
  picture: Picture,
  within: Box,
  scale: number,
  sight: Box = within
): readonly FarTitle[] {
  const { drawing, groups, depths } = picture;
  const size = SIZE * scale;
  const placed: Box[] = [];
  const titles: FarTitle[] = [];

  /** True if the title found a place. */
  const place = (
    key: string,
    title: string,
    at: Point,
    room: number,
    frame: DrawnFrame | null = null
  ): boolean => {
    const text = fitted(picture, title, room / size);
    if (text === null) {
      return false;
    }
    const taken = { ...at, width: widthOf(picture, text) * size, height: 1.2 * size };
    if (placed.some(other => touches(padded(other, size / 6), taken))) {
      return false;
    }
    placed.push(taken);
    const head = frame && { frame, left: at.x - frame.x, width: taken.width };
    titles.push({ key, text, x: at.x, y: at.y + 0.9 * size, size, head });
    return true;
  };

  /** True if the whole title found a place beside a box where nothing is. */
  const placeFreely = (key: string, title: string, at: Point): boolean => {
    const needed = { ...at, width: widthOf(picture, title) * size, height: 1.2 * size };
    return (
      needed.x + needed.width <= sight.x + sight.width &&
      !drawing.boxes.some(box => touches(box, needed)) &&
      place(key, title, at, FREE * size)
    );
  };

  const shown = (box: Box): boolean => titles.length < MOST && touches(box, within);

  /** From the left the first place at the upper edge of a frame where a title lies over no box; else the left one. */
  const alongTop = (frame: DrawnFrame, width: number): number => {
    const least = frame.x + size / 2;
    const most = frame.x + frame.width - width - size / 2;
    const boxes = drawing.boxes
      .filter(box => frame.y < box.y && box.y < frame.y + 1.4 * size)
      .sort((one, other) => one.x - other.x);
    let x = least;
    for (const box of boxes) {
      if (box.x < x + width && x < box.x + box.width) {
        x = box.x + box.width + size / 3;
      }
    }
    return x <= most ? x : least;
  };

  /** In its upper left corner, or if it is too narrow beside that. */
  const placeOfFrame = (frame: DrawnFrame): void => {
    const key = frameKey(frame.group);
    const title = groups.get(frame.group)?.title ?? '';
    const inside = { x: frame.x + size / 2, y: frame.y + 0.2 * size };
    const whole = widthOf(picture, title) * size <= frame.width - size;
    if (frame.height < 1.5 * size) {
      return;
    }
    const beside = { x: frame.x + frame.width + size / 3, y: frame.y };
    if (!whole && placeFreely(key, title, beside)) {
      return;
    }
    if (whole || frame.width > WIDE * size || !place(key, title, beside, BESIDE * size)) {
      const x = whole ? alongTop(frame, widthOf(picture, title) * size) : inside.x;
      place(key, title, { ...inside, x }, frame.x + frame.width - size / 2 - x, frame);
    }
  };

  /** On the box; if it is too narrow beside it, or on beyond it. */
  const placeOfBox = ({ key, title, x, y, width, height }: DrawnBox): void => {
    const top = y + height / 2 - 0.6 * size;
    const sign = farSign(height).end;
    if (widthOf(picture, title) * size <= width - sign - size / 2) {
      place(key, title, { x: x + sign + size / 4, y: top }, width - sign);
      return;
    }
    const beside = { x: x + width + size / 3, y: top };
    if (!placeFreely(key, title, beside) && !place(key, title, beside, BESIDE * size)) {
      const at = { x: x + sign + size / 4, y: top }; // never over the sign
      place(key, title, at, Math.max(width - sign, BESIDE * size));
    }
  };

  const frames = drawing.frames.map((frame, index) => ({ frame, depth: depths[index] ?? 0 }));
  for (const { frame } of frames.sort((a, b) => a.depth - b.depth)) {
    if (shown(frame)) {
      placeOfFrame(frame);
    }
  }
  const area = ({ width, height }: DrawnBox): number => width * height;
  const folded = drawing.boxes.filter(isFolded).sort((a, b) => area(b) - area(a));
  for (const box of folded) {
    if (shown(box)) {
      placeOfBox(box);
    }
  }
  for (const box of drawing.boxes) {
    if (box.kind === 'result' && !hasWord(box, size) && shown(box)) {
      const at = {
        x: box.x + box.width + size / 3,
        y: Math.max(box.y, box.y + box.height / 2 - 0.6 * size)
      };
      placeFreely(box.key, box.title || 'result', at);
    }
  }
  return titles;
}

/** Is the mark of a result high enough for its word? */
export function hasWord({ height }: DrawnBox, type: number): boolean {
  return type <= height - 4;
}

/** The sign of the state at the left of a box: how much larger than in others, and where it ends. */
export function farSign(height: number): { readonly scale: number; readonly end: number } {
  const scale = Math.min(2.2, height / 18);
  return { scale, end: 6 + 14 * scale };
}

/** Width of a text in units of its size. */
function widthOf({ metrics }: Picture, text: string): number {
  return metrics.width(text, 'title') / 11.5;
}

function fitted(picture: Picture, title: string, room: number): string | null {
  const text = fitTitle(picture.metrics, title, room * 11.5, 'title');
  return text === title || Array.from(text).length > LEAST ? text : null;
}
