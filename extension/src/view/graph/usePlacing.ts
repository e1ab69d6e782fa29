/** Where the view looks: at first, after folding, while stepping, and on demand. */
import { useCallback, useEffect, useLayoutEffect, useRef } from 'preact/hooks';

import type { Observable, SessionState } from '../../store';
import { around, touches } from '../layout/boxes';
import type { Box, Point } from '../layout/types';
import type { Size } from './sizes';
import type { Picture } from './usePicture';
import { bringIntoView, detailAt, firstLook, fitBox, seen, zoomAt } from './viewport';
import type { View } from './viewport';

/** Zoom at which a box that was far away is shown. */
const NEAR = 0.8;

export interface Placing {
  /** Move as little as needed to see a box. */
  show(key: string): void;
  /** The same, coming near enough to read it. */
  approach(key: string): void;
  fit(): void;
  zoom(factor: number): void;
  zoomTo(key: string | null): void;
  centreOn(point: Point): void;
  /** Keep this group where it is on the screen when the next layout arrives. */
  hold(group: number): void;
}

export function usePlacing(
  session: SessionState,
  picture: Picture | null,
  screen: Size,
  view: Observable<View>
): Placing {
  const previous = useRef<Picture | null>(null);
  const held = useRef<number | null>(null);
  /** What the view was set to by itself: while it still is that, nobody has looked around. */
  const untouched = useRef<View | null>(null);
  const known = screen.width > 0 && screen.height > 0;

  useLayoutEffect(() => {
    if (!picture || !known) {
      return;
    }
    const before = previous.current;
    previous.current = picture;
    if (before?.graph !== picture.graph) {
      look(picture);
    } else if (before !== picture) {
      const group = held.current;
      const was = group === null ? undefined : boxOfGroup(before, group);
      const now = group === null ? undefined : boxOfGroup(picture, group);
      if (was && now) {
        const { x, y, zoom } = view.value;
        view.patch({ x: x + (was.x - now.x) * zoom, y: y + (was.y - now.y) * zoom });
      }
      const looked = seen(view.value, screen);
      if (![...picture.layout.items.values()].some(box => touches(box, looked))) {
        look(picture);
      }
    }
    held.current = null;
  }, [picture, known]);

  // The element may grow or shrink under a graph that was fitted to it before it was touched.
  const fitted = useRef<Size>(screen);
  useEffect(() => {
    const old = fitted.current;
    fitted.current = screen;
    if (!known || old.width === 0 || (old.width === screen.width && old.height === screen.height)) {
      return;
    }
    if (picture && view.value === untouched.current) {
      look(picture);
    } else {
      const { x, y } = view.value;
      view.patch({
        x: x + (screen.width - old.width) / 2,
        y: y + Math.min(0, (screen.height - old.height) / 2)
      });
    }
  }, [screen, known, view]);

  const show = useCallback(
    (key: string) => {
      const box = picture && boxOf(picture, key);
      if (box && known) {
        view.value = bringIntoView(view.value, box, screen);
      }
    },
    [picture, screen, known, view]
  );

  const approach = (key: string): void => {
    const box = picture && boxOf(picture, key);
    if (box && known && detailAt(view.value.zoom) !== 'full') {
      view.value = fitBox(box, screen, NEAR);
    } else {
      show(key);
    }
  };

  return {
    show,
    approach,
    fit: () => {
      if (picture) {
        view.value = fitBox(whole(picture), screen);
      }
    },
    zoom: factor => {
      view.value = zoomAt(view.value, { x: screen.width / 2, y: screen.height / 2 }, factor);
    },
    zoomTo: key => {
      const box = picture && key !== null ? boxOf(picture, key) : undefined;
      if (box) {
        view.value = fitBox(box, screen, 1.3);
      }
    },
    centreOn: ({ x, y }) => {
      const { zoom } = view.value;
      view.patch({ x: screen.width / 2 - x * zoom, y: screen.height / 2 - y * zoom });
    },
    hold: group => {
      held.current = group;
    }
  };

  function look(at: Picture): void {
    const next = upNext(at);
    const first = firstLook(whole(at), results(at) ?? next, screen);
    // a run on its way (the side panel was opened) is looked at where it is
    view.value = next && session.run.position > 0 ? bringIntoView(first, next, screen) : first;
    untouched.current = view.value;
  }

  function upNext(at: Picture): Box | undefined {
    const current = session.run.current;
    return current === null ? undefined : boxAround(at, at.visible.keysOf(current));
  }
}

function whole({ layout }: Picture): Box {
  return { x: 0, y: 0, width: layout.width, height: layout.height };
}

function boxOf({ layout }: Picture, key: string): Box | undefined {
  return key.startsWith('c') ? layout.clusters.get(Number(key.slice(1))) : layout.items.get(key);
}

function boxAround(picture: Picture, keys: readonly string[]): Box | undefined {
  const boxes = keys.flatMap(key => boxOf(picture, key) ?? []);
  return boxes.length ? around(boxes) : undefined;
}

function results(picture: Picture): Box | undefined {
  const pills = picture.visible.items.filter(item => item.kind === 'result');
  return boxAround(
    picture,
    pills.map(item => item.key)
  );
}

function boxOfGroup(picture: Picture, group: number): Box | undefined {
  return boxOf(picture, `g${group}`) ?? boxOf(picture, `c${group}`);
}
