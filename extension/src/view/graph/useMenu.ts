/** The menu over the graph: what it is about, and where it is. */
import type { RefObject } from 'preact';
import { useState } from 'preact/hooks';

import { nodeTitle } from '../../store';
import type { DebuggerStore, SessionState } from '../../store';
import type { MenuPlace } from './ContextMenu';
import { boxOf, frameOf } from './picture';
import type { Picture } from './picture';
import { elementOf } from './useGraphKeys';
import type { GraphKeys } from './useGraphKeys';

export interface Menu {
  readonly place: MenuPlace | null;
  /** Show that of what has this key, or of the graph; at a point of the screen, or beside what it is about. */
  show(key: string | null, at: MouseEvent | null): void;
  close(back: boolean): void;
}

export function useMenu(
  host: RefObject<HTMLElement>,
  svg: RefObject<SVGSVGElement>,
  session: SessionState,
  store: DebuggerStore,
  picture: Picture,
  keys: () => GraphKeys
): Menu {
  const [place, setPlace] = useState<MenuPlace | null>(null);

  const about = (key: string | null): Pick<MenuPlace, 'of' | 'title'> => {
    const box = key === null ? undefined : boxOf(picture, key);
    const frame = key === null ? undefined : frameOf(picture, key);
    if (box && (box.kind === 'node' || box.kind === 'pin') && box.node !== null) {
      store.select(box.node);
      return { of: 'node', title: nodeTitle(session, box.node) };
    }
    const title = box?.title ?? picture.groups.get(frame?.group ?? -1)?.title;
    return title === undefined ? { of: 'graph', title: 'Graph' } : { of: 'group', title };
  };

  const show: Menu['show'] = (key, at) => {
    const room = host.current?.getBoundingClientRect();
    if (!room) {
      return;
    }
    let { x, y } = { x: room.left + 20, y: room.top + 20 };
    // The menu key sends an event, too, whose point means nothing.
    if (at && (at.clientX !== 0 || at.clientY !== 0)) {
      ({ clientX: x, clientY: y } = at);
    } else if (key !== null) {
      const box = elementOf(svg.current, key)?.getBoundingClientRect();
      x = box ? box.left + 20 : x;
      y = box ? box.bottom : y;
    }
    if (key !== null) {
      keys().setFocusKey(key);
    }
    setPlace({ ...about(key), x: x - room.left, y: y - room.top });
  };

  return {
    place,
    show,
    close: back => {
      const key = keys().focusKey;
      setPlace(null);
      if (back && key !== null) {
        elementOf(svg.current, key)?.focus({ preventScroll: true });
      }
    }
  };
}
