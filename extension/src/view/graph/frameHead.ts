/** What is written at the head of a frame, and how much room that takes. */
import type { DrawnFrame, Group } from '../../protocol';
import * as format from '../format';
import type { Picture } from './picture';
import type { Head } from './sticky';
import type { TextMetrics } from './text';
import { fitTitle } from './titleForms';

/** Height of the part of a frame that its title is in; the kernel leaves that much. */
export const HEAD = 22;
/** Of the sign that closes it, before the title. */
export const SIGN = 15;
/** Of an arrow to the cell beside. */
export const ARROW = 18;

export interface HeadText {
  readonly title: string;
  /** "17 of 200", of equal cells: as they were recorded. */
  readonly counter: string;
  readonly counterRoom: number;
  /** Where the title ends, from the left edge of the frame. */
  readonly right: number;
}

export function headText(frame: DrawnFrame, group: Group, metrics: TextMetrics): HeadText {
  const { cells, title: whole } = group;
  const counter =
    frame.cell === null ? '' : `${format.whole(cells - frame.cell)} of ${format.whole(cells)}`;
  const counterRoom = counter ? metrics.width(counter, 'title') + 2 * ARROW + 8 : 0;
  // No line comes in where the kernel left room.
  const title = fitTitle(metrics, whole, frame.title_room - SIGN - counterRoom - 4, 'title');
  const right = frame.title_left + SIGN + metrics.width(title, 'title') + 4;
  return { title, counter, counterRoom, right };
}

/** Of these frames, as places in the drawing's list. */
export function headsOf(
  { drawing, groups }: Picture,
  frames: readonly number[],
  metrics: TextMetrics
): readonly Head[] {
  return frames.map(index => {
    const frame = drawing.frames[index] as DrawnFrame;
    const group = groups.get(frame.group);
    const { right, counterRoom } = group
      ? headText(frame, group, metrics)
      : { right: frame.title_left, counterRoom: 0 };
    return { frame, left: frame.title_left, width: right + counterRoom - frame.title_left };
  });
}
