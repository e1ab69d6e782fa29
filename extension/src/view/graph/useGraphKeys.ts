/** The graph from the keyboard: arrows walk, Enter selects or opens, letters act. */
import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

import { ends, neighbour, outwards } from './navigate';
import type { Direction } from './navigate';
import { placeOf } from './picture';
import type { Picture } from './picture';

const ARROWS: Readonly<Record<string, Direction>> = {
  ArrowUp: 'up',
  ArrowDown: 'down',
  ArrowLeft: 'left',
  ArrowRight: 'right'
};

export interface GraphKeys {
  readonly focusKey: string | null;
  setFocusKey(key: string | null): void;
  /** Give the keyboard to what is about to be drawn: a group's other form. */
  focusNext(find: (picture: Picture) => string | null): void;
  /** Move the focus to a box, bring it into view and give it the keyboard. */
  focus(key: string): void;
  /** To the title of the group around. */
  outwards(): void;
  /** A key was pressed on this, while the event is handled. */
  press(key: string | null): void;
  /** What has the keyboard, if the graph has it. */
  here(): string | null;
  /** True if the key was an arrow, Home or End and has been dealt with. */
  walk(event: KeyboardEvent): boolean;
}

/** `home` is the box Tab reaches before any has had the focus. */
export function useGraphKeys(
  svg: RefObject<SVGSVGElement>,
  picture: Picture,
  home: string | null,
  show: (key: string) => void
): GraphKeys {
  const [chosen, setFocusKey] = useState<string | null>(null);
  const take = useRef(false);
  const pressed = useRef<string | null>(null);
  const awaited = useRef<((picture: Picture) => string | null) | null>(null);
  const focusKey = chosen !== null && placeOf(picture, chosen) ? chosen : home;

  useEffect(() => {
    const key = awaited.current?.(picture) ?? null;
    if (key !== null) {
      awaited.current = null;
      take.current = true;
      setFocusKey(key);
    }
  }, [picture]);

  useLayoutEffect(() => {
    if (take.current && focusKey !== null) {
      take.current = false;
      elementOf(svg.current, focusKey)?.focus({ preventScroll: true });
    }
  });

  const focus = (key: string): void => {
    take.current = true;
    setFocusKey(key);
    show(key);
  };

  const walk = (event: KeyboardEvent): boolean => {
    const direction = ARROWS[event.key];
    const { first, last } = ends(picture);
    let next: string | null;
    if (direction) {
      next = neighbour(picture, focusKey ?? first ?? '', direction);
    } else if (event.key === 'Home' || event.key === 'End') {
      next = event.key === 'Home' ? first : last;
    } else {
      return false;
    }
    if (next !== null) {
      focus(next);
    }
    return true;
  };

  const goOutwards = (): void => {
    const from = pressed.current ?? focusKey;
    const next = from === null ? null : outwards(picture, from);
    if (next !== null) {
      focus(next);
    }
  };

  return {
    focusKey,
    setFocusKey,
    focusNext: find => {
      awaited.current = find;
    },
    focus,
    outwards: goOutwards,
    press: key => {
      pressed.current = key;
      setTimeout(() => {
        pressed.current = null;
      });
    },
    here: () => {
      const inside = svg.current?.contains(svg.current.ownerDocument.activeElement) ?? false;
      return pressed.current ?? (inside ? focusKey : null);
    },
    walk
  };
}

/** Keys are compared, not put into a selector: they are the kernel's. */
export function elementOf(svg: SVGSVGElement | null, key: string): SVGGElement | undefined {
  const elements = svg?.querySelectorAll<SVGGElement>('[data-key]') ?? [];
  return [...elements].find(element => element.dataset['key'] === key);
}
