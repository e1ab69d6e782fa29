/** The menu of a node, of a group, or of the graph beside them; and what all menus have in common. */
import type { ComponentChildren, JSX, RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

import { COMMANDS } from '../../protocol';
import type { Command, CommandName, MenuOf } from '../../protocol';
import type { Commands } from '../commands';
import { useCommands } from '../hooks';
import { unquoted } from '../Sentence';
import { Icon } from '../Icons';
import { rove } from '../roving';
import { keyText } from '../shortcuts';
import { zoomOf } from '../width';

/** Where a menu is, and what closes it. */
export interface MenuProps {
  readonly title: string;
  /** Where it is to be, from the upper left corner of the graph. */
  readonly x: number;
  readonly y: number;
  /** A press on this closes it by itself. */
  readonly opener?: RefObject<HTMLElement>;
  /** `back`: the keyboard goes back to where it was. */
  close(back: boolean): void;
}

export interface MenuPlace extends Pick<MenuProps, 'title' | 'x' | 'y'> {
  readonly of: MenuOf;
}

interface ContextMenuProps extends MenuProps {
  /** Whose menu it is, or what is in it. */
  readonly of: MenuOf | readonly CommandName[];
}

/** What is pressed in a menu, whatever it does. */
const ITEM = '[role^="menuitem"]';

/** A menu of `children`, which are buttons. */
export function Menu(props: MenuProps & { readonly children: ComponentChildren }): JSX.Element {
  const { title, x, y, opener, close, children } = props;
  const element = useRef<HTMLDivElement>(null);
  const [at, setAt] = useState({ x, y });

  useLayoutEffect(() => {
    const menu = element.current;
    const room = (menu?.offsetParent ?? menu?.parentElement)?.getBoundingClientRect();
    if (menu && room) {
      const { width, height } = menu.getBoundingClientRect();
      const zoom = zoomOf(menu);
      const inside = (place: number, size: number, of: number): number =>
        Math.max(2, Math.min(place, of - size - 2));
      // Where it is, is given in pixels of what it is in, which is larger to teach.
      setAt({ x: inside(x, width, room.width) / zoom, y: inside(y, height, room.height) / zoom });
      menu.querySelector<HTMLElement>(ITEM)?.focus({ preventScroll: true });
    }
  }, [x, y]);

  useEffect(() => {
    const page = element.current?.ownerDocument;
    const outside = (event: Event): void => {
      const path = event.composedPath();
      if (![element.current, opener?.current].some(part => part && path.includes(part))) {
        close(false);
      }
    };
    page?.addEventListener('pointerdown', outside, true);
    return () => page?.removeEventListener('pointerdown', outside, true);
  }, []);

  const move = (event: KeyboardEvent): void => {
    if (rove(event, ITEM, 'column') !== null) {
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
      {children}
    </div>
  );
}

export function ContextMenu({ of, ...place }: ContextMenuProps): JSX.Element {
  const commands = useCommands();
  const isListed = ({ name, menus }: Command): boolean =>
    typeof of === 'string' ? menus.includes(of) : of.includes(name);
  const listed = COMMANDS.filter(each => isListed(each) && commands.has(each.name));
  return (
    <Menu {...place}>
      {listed.map(({ name, label, labelOn, icon, help }) => (
        <button
          key={name}
          type="button"
          class="vg-menu-item"
          role="menuitem"
          tabIndex={-1}
          {...refused(commands, name)}
          title={`${unquoted(help)} ${refused(commands, name)['aria-description'] ?? ''}`.trimEnd()}
          onClick={() => {
            place.close(true);
            commands.perform(name);
          }}
        >
          {icon ? <Icon name={icon} /> : <span class="vg-icon" />}
          <span class="vg-menu-label">{commands.isOn(name) ? labelOn : label}</span>
          <kbd aria-hidden="true">{keyText(name)}</kbd>
        </button>
      ))}
    </Menu>
  );
}

/** Whether it makes sense now, and why not. */
function refused(
  commands: Commands,
  name: CommandName
): { 'aria-disabled': boolean; 'aria-description'?: string } {
  const can = commands.can(name);
  const why = can ? '' : commands.why(name);
  return { 'aria-disabled': !can, ...(why && { 'aria-description': `Not now: ${why}.` }) };
}
