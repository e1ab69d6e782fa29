/** A button with an icon, and a label where there is room for it. */
import type { JSX } from 'preact';

import { Icon } from '../Icons';
import type { IconName } from '../Icons';

interface ButtonProps {
  readonly icon: IconName;
  /** The accessible name. */
  readonly name: string;
  /** The key that does the same. */
  readonly keys?: string;
  /** Write the name beside the icon. */
  readonly labelled?: boolean;
  readonly disabled?: boolean;
  readonly pressed?: boolean;
  readonly primary?: boolean;
  readonly hint?: string;
  act(): void;
}

/**
 * A disabled button stays focusable (`aria-disabled`): Step becomes disabled while it has the
 * focus, and the focus must not fall back to the page. `act` is called even then: it knows better
 * than the last drawing whether the command makes sense at the moment of the click.
 */
export function Button(props: ButtonProps): JSX.Element {
  const { icon, name, keys, labelled = false, disabled = false, pressed, primary = false } = props;
  const text = props.hint ?? name;
  return (
    <button
      type="button"
      class={`vg-button${labelled ? ' vg-labelled' : ''}${primary ? ' vg-primary' : ''}`}
      aria-label={name}
      aria-disabled={disabled}
      aria-pressed={pressed}
      aria-keyshortcuts={keys?.replaceAll(' or ', ' ')}
      title={keys ? `${text} (${keys})` : text}
      onClick={props.act}
    >
      <Icon name={icon} />
      {labelled && <span>{name}</span>}
    </button>
  );
}
