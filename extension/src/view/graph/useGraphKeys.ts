/** The graph from the keyboard: arrows walk, Enter selects or opens, letters act. */
import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

import { neighbour } from './navigate';
import type { Direction } from './navigate';
import type { Picture } from './usePicture';

const ARROWS: Readonly<Record<string, Direction>> = {
  ArrowUp: 'up',
  ArrowDown: 'down',
  ArrowLeft: 'left',
  ArrowRight: 'right'
};

export interface GraphKeys {
  readonly focusKey: string | null;
  setFocusKey(key: string | null): void;
  /** Give the keyboard to a box that is about to be drawn: a group's other form. */
  focusNext(key: string): void;
  /** Move the focus to a box, bring it into view and give it the keyboard. */
  focus(key: string): void;
  /** True if the key was an arrow, Home or End and has been dealt with. */
  walk(event: KeyboardEvent): boolean;
}

/** `home` is the box Tab reaches before any has had the focus. */
export function useGraphKeys(
  svg: RefObject<SVGSVGElement>,
  picture: Picture | null,
  home: string | null,
  show: (key: string) => void
): GraphKeys {
  const [chosen, setFocusKey] = useState<string | null>(null);
  const take = useRef(false);
  const awaited = useRef<string | null>(null);
  const known = chosen !== null && picture !== null && isDrawn(picture, chosen);
  const focusKey = known ? chosen : home;

  useEffect(() => {
    const key = awaited.current;
    if (key !== null && picture !== null && isDrawn(picture, key)) {
      awaited.current = null;
      take.current = true;
      setFocusKey(key);
    }
  }, [picture]);

  useLayoutEffect(() => {
    if (take.current && focusKey !== null) {
      take.current = false;
      // Keys are our own (letters and numbers), so they need no escaping.
      const element = svg.current?.querySelector<SVGGElement>(`[data-key="${focusKey}"]`);
      element?.focus({ preventScroll: true });
    }
  });

  const focus = (key: string): void => {
    take.current = true;
    setFocusKey(key);
    show(key);
  };

  const focusNext = (key: string): void => {
    awaited.current = key;
  };

  const walk = (event: KeyboardEvent): boolean => {
    if (!picture) {
      return false;
    }
    const items = picture.visible.items.filter(item => item.kind !== 'result');
    const direction = ARROWS[event.key];
    let next: string | null | undefined;
    if (direction) {
      const from = focusKey ?? items[0]?.key ?? '';
      next = neighbour(picture.visible, picture.layout, from, direction);
    } else if (event.key === 'Home' || event.key === 'End') {
      const byHeight = [...items].sort((a, b) => top(picture, a.key) - top(picture, b.key));
      next = byHeight[event.key === 'Home' ? 0 : byHeight.length - 1]?.key;
    } else {
      return false;
    }
    if (next) {
      focus(next);
    }
    return true;
  };

  return { focusKey, setFocusKey, focusNext, focus, walk };
}

function top(picture: Picture, key: string): number {
  return picture.layout.items.get(key)?.y ?? 0;
}

function isDrawn(picture: Picture, key: string): boolean {
  return key.startsWith('c')
    ? picture.layout.clusters.has(Number(key.slice(1)))
    : picture.layout.items.has(key);
}
