/** Buttons that open a menu: of other steps, or of what a row has no room for. */
import type { JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';

import type { CommandName, MenuOf } from '../../protocol';
import { ContextMenu } from '../graph/ContextMenu';
import type { MenuProps } from '../graph/ContextMenu';
import { Icon } from '../Icons';
import type { IconName } from '../Icons';

interface MenuButtonProps {
  readonly name: string;
  readonly hint: string;
  readonly icon: IconName;
  /** The commands in it. */
  readonly of?: MenuOf | readonly CommandName[];
  /** The menu, where it is of something else. */
  draw?(place: MenuProps): JSX.Element;
}

/** Beside the button for a step: smaller steps, larger ones, and into what a node runs. */
export function StepMenu(): JSX.Element {
  return (
    <MenuButton
      name="More steps"
      hint="Choose a step: one stage, into your Python, to the next leaf"
      icon="more"
      of="step"
    />
  );
}

export function MenuButton({ name, hint, icon, of = [], draw }: MenuButtonProps): JSX.Element {
  const button = useRef<HTMLButtonElement>(null);
  const [at, setAt] = useState<{ x: number; y: number } | null>(null);
  const close = (back: boolean): void => {
    setAt(null);
    if (back) {
      button.current?.focus();
    }
  };
  const open = (): void => {
    const own = button.current?.getBoundingClientRect();
    const around = button.current?.closest('.vg-root')?.getBoundingClientRect();
    if (own && around) {
      setAt({ x: own.left - around.left, y: own.bottom - around.top + 2 });
    }
  };
  const place = at && { title: name, ...at, opener: button, close };
  return (
    <>
      <button
        ref={button}
        type="button"
        class={`vg-button${icon === 'more' ? ' vg-split' : ''}`}
        aria-label={name}
        aria-haspopup="menu"
        aria-expanded={at !== null}
        title={`${name}. ${hint}`}
        onClick={() => (at ? close(true) : open())}
        onKeyDown={event => {
          if (event.key === 'ArrowDown') {
            open();
            event.preventDefault();
            event.stopPropagation();
          }
        }}
      >
        <Icon name={icon} />
      </button>
      {place && (draw ? draw(place) : <ContextMenu of={of} {...place} />)}
    </>
  );
}
