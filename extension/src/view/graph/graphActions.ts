/** What a click, a double click or a key in the graph does. */
import type { SVGAttributes } from 'preact';

import type { DrawnBox } from '../../protocol';
import type { Doers } from '../commands';
import type { DebuggerStore } from '../../store';
import { boxOf, frameKey, frameOf } from './picture';
import type { Picture } from './picture';
import type { GraphKeys } from './useGraphKeys';
import type { Placing } from './usePlacing';

interface Parts {
  readonly store: DebuggerStore;
  readonly picture: Picture;
  readonly placing: Placing;
  readonly keys: GraphKeys;
  readonly dragged: { readonly current: boolean };
  /** Where the selected node is drawn. */
  readonly shown: string | null;
  /** The cell, of some in one box, that is nearest to where the run is. */
  nearestCell(box: DrawnBox): number;
  /** Show the menu of what has this key, or of the graph; at a point of the screen, or beside it. */
  menu(key: string | null, at: MouseEvent | null): void;
}

export interface GraphActions {
  readonly events: SVGAttributes<SVGSVGElement>;
  readonly doers: Doers;
  /** The node that has the keyboard. */
  focused(): number | null;
}

export function graphActions(parts: Parts): GraphActions {
  const { store, picture, placing, keys } = parts;

  const nodeAt = (key: string | null): number | null => {
    const box = key === null ? undefined : boxOf(picture, key);
    if (box?.kind === 'collective') {
      return picture.drawing.collectives[box.collective ?? -1]?.node ?? null; // It has called it.
    }
    return box && (box.kind === 'node' || box.kind === 'pin') ? box.node : null;
  };

  const close = (group: number): void => {
    placing.hold({ group, key: null });
    keys.focusNext(({ drawing }) => groupBox(drawing.boxes, group));
    store.fold({ close: [group] });
  };

  const showCell = (group: number, cell: number, key: string | null): void => {
    placing.hold({ group, key });
    keys.focusNext(({ frames, drawing }) =>
      drawing.frames[frames.get(group) ?? -1]?.cell === cell ? frameKey(group) : null
    );
    store.fold({ cell: { group, cell } });
  };

  const openBox = (box: DrawnBox): void => {
    const { group } = box;
    if (group === null) {
      return;
    }
    if (box.kind === 'cells') {
      showCell(group, parts.nearestCell(box), box.key);
    } else {
      placing.hold({ group, key: box.key });
      keys.focusNext(({ frames }) => (frames.has(group) ? frameKey(group) : null));
      store.fold({ open: [group] });
    }
  };

  const act = (key: string | null): void => {
    if (key === null) {
      return;
    }
    const frame = frameOf(picture, key);
    const box = boxOf(picture, key);
    const node = nodeAt(key);
    if (frame) {
      close(frame.group);
    } else if (node !== null) {
      store.select(node);
    } else if (box) {
      openBox(box);
    }
  };

  /** The cell beside the one that is shown around what has the focus, as they were recorded. */
  const beside = (by: 1 | -1): { group: number; cell: number } | null => {
    const here = keys.here() ?? keys.focusKey;
    const { drawing, groups } = picture;
    let at = here === null ? -1 : (picture.frames.get(frameOf(picture, here)?.group ?? -1) ?? -1);
    if (at < 0 && here !== null) {
      at = boxOf(picture, here)?.frame ?? -1;
    }
    for (; at >= 0; at = drawing.frames[at]?.parent ?? -1) {
      const frame = drawing.frames[at];
      if (frame?.cell != null) {
        const { group } = frame;
        const cell = frame.cell - by;
        return 0 <= cell && cell < (groups.get(group)?.cells ?? 0) ? { group, cell } : null;
      }
    }
    return null;
  };
  const turn = (by: 1 | -1) => ({
    act: () => {
      const next = beside(by);
      if (next) {
        showCell(next.group, next.cell, null);
      }
    },
    can: () => beside(by) !== null,
    otherwise: 'the box in focus has no equal group on that side'
  });

  const onClick = (event: MouseEvent): void => {
    if (parts.dragged.current || !(event.target instanceof Element)) {
      return;
    }
    const gutter = attribute(event.target, 'data-gutter');
    const cell = attribute(event.target, 'data-cell');
    const toggle = attribute(event.target, 'data-toggle');
    const key = attribute(event.target, 'data-key');
    if (gutter !== null) {
      store.actions.toggleBreakpoint(Number(gutter));
    } else if (cell !== null) {
      const [group, number] = cell.split(' ').map(Number);
      showCell(group as number, number as number, null);
    } else if (toggle !== null) {
      act(toggle);
    } else if (key !== null) {
      keys.focus(key);
      const box = boxOf(picture, key);
      const node = nodeAt(key);
      if (node !== null) {
        store.select(node);
      } else if (box?.kind === 'cells') {
        openBox(box);
      }
    }
  };

  const onDblClick = (event: MouseEvent): void => {
    const key = event.target instanceof Element ? attribute(event.target, 'data-key') : null;
    const box = key === null ? undefined : boxOf(picture, key);
    if (box?.kind === 'group') {
      openBox(box);
    }
  };

  const onContextMenu = (event: MouseEvent): void => {
    if (event.shiftKey || !(event.target instanceof Element)) {
      return; // The browser's own, as JupyterLab has it.
    }
    event.preventDefault();
    event.stopPropagation();
    parts.menu(attribute(event.target, 'data-key'), event);
  };

  /** Keys of commands are left to the view: see `commandKey`. */
  const onKeyDown = (event: KeyboardEvent): void => {
    keys.press(event.target instanceof Element ? attribute(event.target, 'data-key') : null);
    if (!event.ctrlKey && !event.metaKey && !event.altKey && keys.walk(event)) {
      event.preventDefault();
      event.stopPropagation();
    }
  };

  const onFocusIn = (event: FocusEvent): void => {
    const key = event.target instanceof Element ? attribute(event.target, 'data-key') : null;
    if (key !== null) {
      keys.setFocusKey(key);
    }
  };

  const here = (): string | null => keys.here() ?? keys.focusKey;
  const doers: Doers = {
    open: { act: () => act(here()) },
    outwards: { act: keys.outwards },
    'previous-cell': turn(-1),
    'next-cell': turn(1),
    'zoom-to-fit': { act: placing.fit },
    'zoom-to-selection': { act: () => placing.zoomTo(parts.shown) },
    'zoom-in': { act: () => placing.zoom(1.25) },
    'zoom-out': { act: () => placing.zoom(0.8) },
    menu: { act: () => parts.menu(here(), null) }
  };
  const focused = (): number | null => nodeAt(keys.here());
  return { events: { onClick, onDblClick, onContextMenu, onKeyDown, onFocusIn }, doers, focused };
}

function groupBox(boxes: readonly DrawnBox[], group: number): string | null {
  return boxes.find(box => box.kind === 'group' && box.group === group)?.key ?? null;
}

function attribute(element: Element, name: string): string | null {
  return element.closest(`[${name}]`)?.getAttribute(name) ?? null;
}
