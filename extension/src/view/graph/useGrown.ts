/** The boxes as they are drawn at this zoom, for all that draws them or keeps clear of them. */
import { useMemo } from 'preact/hooks';

import type { DrawnBox } from '../../protocol';
import { grown, roomsOf } from './growing';
import type { Picture } from './picture';
import type { Viewport } from './useViewport';

/** By its place in `drawing.boxes`. A box stays the same object as long as nothing about it changes. */
export type BoxAt = (index: number) => DrawnBox;

export function useGrown(picture: Picture, { type, detail }: Viewport): BoxAt {
  const metrics = picture.metrics.atLeast(type);
  const rooms = useMemo(() => roomsOf(picture), [picture]);
  return useMemo(() => {
    const boxes = new Map<number, DrawnBox>();
    return index => {
      const known = boxes.get(index);
      if (known) {
        return known;
      }
      const box = picture.drawing.boxes[index] as DrawnBox;
      const shown = grown(picture, box, rooms[index], { metrics, type, detail });
      boxes.set(index, shown);
      return shown;
    };
  }, [picture, rooms, metrics, type, detail]);
}
