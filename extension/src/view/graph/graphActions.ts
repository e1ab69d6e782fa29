/** What a click, a double click or a key in the graph does. */
import type { SVGAttributes } from 'preact';

import type { DebuggerStore, ViewState } from '../../store';
import type { GraphKeys } from './useGraphKeys';
import type { Picture } from './usePicture';
import type { Placing } from './usePlacing';
import type { Item } from './visible';

interface Parts {
  readonly store: DebuggerStore;
  readonly view: ViewState;
  readonly picture: Picture | null;
  readonly placing: Placing;
  readonly keys: GraphKeys;
  readonly dragged: { readonly current: boolean };
  /** Where the selected node is drawn. */
  readonly shown: string | null;
}

export function graphActions(parts: Parts): SVGAttributes<SVGSVGElement> {
  const { store, view, picture, placing, keys } = parts;

  const itemAt = (key: string | null): Item | undefined =>
    picture?.visible.items.find(item => item.key === key);

  const nodeAt = (key: string | null): number | null => {
    const item = itemAt(key);
    return item && item.kind !== 'group' ? item.node : null;
  };

  const toggle = (group: number): void => {
    if (picture) {
      placing.hold(group);
      store.view({ groups: new Map(view.groups).set(group, !picture.open.has(group)) });
    }
  };

  const open = (key: string | null): void => {
    const item = itemAt(key);
    if (key?.startsWith('c')) {
      toggle(Number(key.slice(1)));
      keys.focusNext(`g${key.slice(1)}`);
    } else if (item?.kind === 'group') {
      toggle(item.group);
      keys.focusNext(`c${item.group}`);
    } else if (item) {
      store.select(item.node);
    }
  };

  const onClick = (event: MouseEvent): void => {
    if (parts.dragged.current || !(event.target instanceof Element)) {
      return;
    }
    const gutter = attribute(event.target, 'data-gutter');
    const group = attribute(event.target, 'data-toggle');
    const key = attribute(event.target, 'data-key');
    if (gutter !== null) {
      store.toggleBreakpoint(Number(gutter));
    } else if (group !== null) {
      open(key);
    } else if (key !== null) {
      keys.focus(key);
      const node = nodeAt(key);
      if (node !== null) {
        store.select(node);
      }
    }
  };

  const onDblClick = (event: MouseEvent): void => {
    const key = event.target instanceof Element ? attribute(event.target, 'data-key') : null;
    if (key?.startsWith('g')) {
      open(key);
    }
  };

  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) {
      return;
    }
    const key = event.target instanceof Element ? attribute(event.target, 'data-key') : null;
    const here = key ?? keys.focusKey;
    const node = nodeAt(here);
    const actions = new Map<string, () => void>([
      ['Enter', () => open(here)],
      [' ', () => open(here)],
      ['b', () => node !== null && store.toggleBreakpoint(node)],
      ['r', () => node !== null && store.runTo(node)],
      ['f', placing.fit],
      ['z', () => placing.zoomTo(parts.shown)],
      ['/', () => store.view({ search: view.search ?? { query: '', index: -1 } })],
      ['?', () => store.view({ help: !view.help })],
      ['+', () => placing.zoom(1.25)],
      ['=', () => placing.zoom(1.25)],
      ['-', () => placing.zoom(0.8)],
      ['Escape', () => store.follow(true)]
    ]);
    const act = actions.get(event.key);
    if (act) {
      act();
    } else if (!keys.walk(event)) {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  };

  const onFocusIn = (event: FocusEvent): void => {
    const key = event.target instanceof Element ? attribute(event.target, 'data-key') : null;
    if (key !== null) {
      keys.setFocusKey(key);
    }
  };

  return { onClick, onDblClick, onKeyDown, onFocusIn };
}

function attribute(element: Element, name: string): string | null {
  return element.closest(`[${name}]`)?.getAttribute(name) ?? null;
}
