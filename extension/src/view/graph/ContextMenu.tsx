/** The menu of a node, of a group, or of the graph beside them. */
import type { JSX } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

import { COMMANDS } from '../../protocol';
import type { MenuOf } from '../../protocol';
import { useCommands } from '../hooks';
import { unquoted } from '../Sentence';
import { Icon } from '../Icons';
import { rove } from '../roving';
import { keyText } from '../shortcuts';

export interface MenuPlace {
  readonly of: MenuOf;
  readonly title: string;
  /** Where it is to be, from the upper left corner of the graph. */
  readonly x: number;
  readonly y: number;
}

interface ContextMenuProps extends MenuPlace {
  /** `back`: the keyboard goes back to where it was. */
  close(back: boolean): void;
}

export function ContextMenu({ of, title, x, y, close }: ContextMenuProps): JSX.Element {
  const commands = useCommands();
  const element = useRef<HTMLDivElement>(null);
  const [at, setAt] = useState({ x, y });
  const listed = COMMANDS.filter(({ name, menus }) => menus.includes(of) && commands.has(name));

  useLayoutEffect(() => {
    const menu = element.current;
    const room = menu?.parentElement?.getBoundingClientRect();
    if (menu && room) {
      const { width, height } = menu.getBoundingClientRect();
      const inside = (place: number, size: number, of: number): number =>
        Math.max(2, Math.min(place, of - size - 2));
      setAt({ x: inside(x, width, room.width), y: inside(y, height, room.height) });
      menu.querySelector<HTMLElement>('[role="menuitem"]')?.focus({ preventScroll: true });
    }
  }, [x, y]);

  useEffect(() => {
    const page = element.current?.ownerDocument;
    const outside = (event: Event): void => {
      if (!event.composedPath().includes(element.current as EventTarget)) {
        close(false);
      }
    };
    page?.addEventListener('pointerdown', outside, true);
    return () => page?.removeEventListener('pointerdown', outside, true);
  }, []);

  const move = (event: KeyboardEvent): void => {
    if (rove(event, '[role="menuitem"]', 'column') !== null) {
      return;
    }
    if (event.key === 'Escape' || event.key === 'Tab') {
      close(true);
      event.preventDefault();
    } else if (event.key !== 'Enter' && event.key !== ' ') {
      return;
    }
    event.stopPropagation(); // Of Enter and space the button's own click is left.
  };

  return (
    <div
      ref={element}
      class="vg-menu"
      role="menu"
      tabIndex={-1}
      aria-label={title}
      style={{ left: `${at.x}px`, top: `${at.y}px` }}
      onKeyDown={move}
      onContextMenu={event => event.preventDefault()}
    >
      <div class="vg-menu-title" aria-hidden="true">
        {title}
      </div>
      {listed.map(({ name, label, labelOn, icon, help }) => (
        <button
          key={name}
          type="button"
          class="vg-menu-item"
          role="menuitem"
          tabIndex={-1}
          aria-disabled={!commands.can(name)}
          title={unquoted(help)}
          onClick={() => {
            close(true);
            commands.perform(name);
          }}
        >
          {icon ? <Icon name={icon} /> : <span class="vg-icon" />}
          <span class="vg-menu-label">{commands.isOn(name) ? labelOn : label}</span>
          <kbd aria-hidden="true">{keyText(name)}</kbd>
        </button>
      ))}
    </div>
  );
}
