/** Where the view looks: at first, when another drawing comes, while stepping, and on demand. */
import { useCallback, useEffect, useLayoutEffect, useRef } from 'preact/hooks';

import { focusOf } from '../../store';
import type { Observable, SessionState } from '../../store';
import { held } from './anchor';
import type { Toggled } from './anchor';
import { around, touches } from './geometry';
import type { Box, Point, Size } from './geometry';
import { placeOf, whole } from './picture';
import type { Picture } from './picture';
import {
  bringIntoPart,
  bringIntoView,
  detailAt,
  enlarged,
  filled,
  FIT_ZOOM,
  firstLook,
  fitBox,
  fromLeft,
  READABLE_ZOOM,
  resized,
  seen,
  zoomAt
} from './viewport';
import type { Part, View } from './viewport';

/** Zoom at which a box that was far away is shown. */
const NEAR = 1;

/** Pixels of one that is about to come. */
const LEGEND = 40;

/** At less a name of usual length finds no room in its box. */
const NAMES = 0.45;

export interface Placing {
  /** Move as little as needed to see a box. */
  show(key: string): void;
  /** Move as little as needed to see all of these, going away as far as names can be read; else the first alone. */
  showTogether(keys: readonly string[]): void;
  /** The same as `show`, coming near enough to read it. */
  approach(key: string): void;
  fit(): void;
  zoom(factor: number): void;
  zoomTo(key: string | null): void;
  centreOn(point: Point): void;
  /** The page was scrolled: what it hid of the screen, and shows now, is not left empty. */
  settle(): void;
  /** Keep what is being opened or closed where it is when its drawing arrives. */
  hold(toggled: Toggled): void;
}

/**
 * `keys` are what a person looks at otherwise: what stays where it is when another drawing comes. `legend`: one takes
 * room below the picture, which stays where it is when one comes or goes. `fold` closes groups. `part` tells what of the
 * screen is seen where the page is scrolled. `larger`: than it is drawn at a desk, to teach.
 */
export function usePlacing(
  session: SessionState,
  picture: Picture,
  screen: Size,
  view: Observable<View>,
  keys: () => readonly (string | null)[],
  legend: boolean,
  fold: (groups: readonly number[]) => void,
  part: () => Part = () => ({ top: 0, bottom: screen.height }),
  larger = 1
): Placing {
  const previous = useRef<{ picture: Picture; session: string } | null>(null);
  const toggled = useRef<Toggled | null>(null);
  /** What the view was set to by itself: while it still is that, nobody has looked around. */
  const untouched = useRef<View | null>(null);
  /** The view as it was set by itself in the part of the screen that the page let be seen. */
  const inPart = useRef<View | null>(null);
  const known = screen.width > 0 && screen.height > 0;
  /** How many frames were open when it was fitted last, while what was closed for that has not come. */
  const fitting = useRef<number | null>(null);

  /** All of it; where names cannot be read then, what is innermost is closed, and once more when that is drawn. */
  const fit = (): void => {
    const frames = picture.drawing.frames.length;
    const least = fitting.current ?? frames + 1;
    fitting.current = null;
    view.value = fitBox(whole(picture), screen, FIT_ZOOM * larger);
    const inner = view.value.zoom < NAMES && frames < least ? innermost(picture) : [];
    if (inner.length > 0) {
      fitting.current = frames;
      toggled.current = null;
      fold(inner);
    }
  };

  useLayoutEffect(() => {
    if (!known) {
      return;
    }
    const before = previous.current;
    previous.current = { picture, session: session.session };
    // What is opened around the current node before the user moved the view belongs to the first look.
    const { near } = session.folding;
    const early = near !== null && near === focusOf(session) && view.value === untouched.current;
    if (
      before?.session !== session.session ||
      (early && before.picture.drawing !== picture.drawing)
    ) {
      toggled.current = null;
      look();
    } else if (before.picture.drawing !== picture.drawing && fitting.current !== null) {
      fit();
    } else if (before.picture.drawing !== picture.drawing) {
      const looked = seen(view.value, screen);
      const stays = held(before.picture, picture, looked, toggled.current, keys());
      toggled.current = null;
      if (stays) {
        const { x, y, zoom } = view.value;
        view.patch({
          x: x + (stays.was.x - stays.now.x) * zoom,
          y: y + (stays.was.y - stays.now.y) * zoom
        });
        view.flush(); // In the same frame as the drawing, or it would be seen to jump and come back.
      }
      const now = seen(view.value, screen);
      if (!picture.drawing.boxes.some(box => touches(box, now))) {
        look();
      }
    }
  }, [picture, known]);

  // The element may grow or shrink under a graph that was fitted to it before it was touched.
  const fitted = useRef<Size>(screen);
  const hadLegend = useRef(legend);
  useEffect(() => {
    const old = fitted.current;
    fitted.current = screen;
    if (!known || old.width === 0 || (old.width === screen.width && old.height === screen.height)) {
      return;
    }
    if (hadLegend.current !== legend && old.width === screen.width) {
      hadLegend.current = legend;
      return;
    }
    if (view.value === untouched.current) {
      look();
    } else {
      // What a person looks at, or the run is about, is not lost over it.
      const [key = null] = keys();
      const box = (key === null ? undefined : placeOf(picture, key)) ?? inFocus();
      const wasSeen = box && touches(box, seen(view.value, old));
      const next = resized(view.value, old, screen, whole(picture));
      view.value = wasSeen ? bringIntoPart(next, box, screen, part(), whole(picture)) : next;
    }
  }, [screen, known, view]);

  const show = useCallback(
    (key: string) => {
      const box = placeOf(picture, key);
      if (box && known) {
        view.value = bringIntoPart(view.value, box, screen, part(), whole(picture));
        inPart.current = view.value;
      }
    },
    [picture, screen, known, view]
  );

  const showTogether = (keys: readonly string[]): void => {
    const boxes = keys.flatMap(key => placeOf(picture, key) ?? []);
    const [first] = keys;
    if (boxes.length === 0 || first === undefined || !known) {
      return;
    }
    // The legend of what is compared comes below the picture, and takes its room from there.
    const { top, bottom } = part();
    const room = { width: screen.width, height: bottom - top - LEGEND };
    const all = around(boxes);
    const near = fitBox(all, room, view.value.zoom);
    if (near.zoom < (larger > 1 ? READABLE_ZOOM * larger : NAMES)) {
      show(first);
      view.value = fromLeft(view.value, placeOf(picture, first), whole(picture), screen);
    } else if (near.zoom < view.value.zoom) {
      view.value = { ...near, y: near.y + top };
    } else {
      view.value = bringIntoPart(
        view.value,
        all,
        screen,
        { top, bottom: bottom - LEGEND },
        whole(picture)
      );
    }
    inPart.current = view.value;
  };

  const settle = (): void => {
    if (known && view.value === inPart.current) {
      view.value = filled(view.value, part(), whole(picture));
      inPart.current = view.value;
    }
  };

  const approach = (key: string): void => {
    const box = placeOf(picture, key);
    if (box && known && detailAt(view.value.zoom) !== 'full') {
      view.value = fitBox(box, screen, NEAR * larger);
    } else {
      show(key);
    }
  };

  const zoom = (factor: number): void => {
    view.value = zoomAt(view.value, { x: screen.width / 2, y: screen.height / 2 }, factor);
  };

  // To teach, the picture is drawn larger with the rest; it may have been so from the first look on.
  const was = useRef(larger);
  useEffect(() => {
    const factor = larger / was.current;
    was.current = larger;
    if (!known || factor === 1) {
      return;
    }
    if (view.value === untouched.current) {
      look();
    } else {
      // What it was set to by itself to be seen whole at a desk is too small from afar.
      view.value = enlarged(
        view.value,
        screen,
        factor,
        factor > 1 && view.value === inPart.current
      );
    }
  }, [larger]);

  return {
    show,
    showTogether,
    settle,
    approach,
    fit: () => {
      fitting.current = null;
      fit();
    },
    zoom,
    zoomTo: key => {
      const box = key === null ? undefined : placeOf(picture, key);
      if (box) {
        view.value = fitBox(box, screen, 1.3 * larger);
      }
    },
    centreOn: ({ x, y }) => {
      const { zoom } = view.value;
      view.patch({ x: screen.width / 2 - x * zoom, y: screen.height / 2 - y * zoom });
    },
    hold: next => {
      toggled.current = next;
    }
  };

  function look(): void {
    const { boxes } = picture.drawing;
    const results = boxes.filter(({ kind }) => kind === 'result');
    const next = inFocus();
    const anchor = results.length > 0 ? around(results) : next;
    const first = firstLook(whole(picture), anchor, screen, larger);
    view.value = next ? bringIntoView(first, next, screen, whole(picture)) : first;
    untouched.current = view.value;
  }

  function inFocus(): Box | undefined {
    const focus = focusOf(session);
    const places = focus === null ? [] : picture.keysOf(focus);
    const boxes = places.flatMap(key => placeOf(picture, key) ?? []);
    return boxes.length > 0 ? around(boxes) : undefined;
  }
}

/** The groups of the frames that lie deepest. */
export function innermost({ drawing, depths }: Picture): readonly number[] {
  const deepest = Math.max(...depths);
  return drawing.frames.flatMap(({ group }, index) => (depths[index] === deepest ? [group] : []));
}
