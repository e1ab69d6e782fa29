/** A button with an icon, and a label where there is room for it. */
import type { JSX } from 'preact';
import { useCallback } from 'preact/hooks';

import type { CommandName } from '../../protocol';
import { commandOf } from '../commands';
import { useCommands } from '../hooks';
import { memo } from '../memo';
import { keyText } from '../shortcuts';
import { Icon } from '../Icons';
import type { IconName } from '../Icons';
import { unquoted } from '../Sentence';

interface ButtonProps {
  readonly icon: IconName;
  /** The accessible name. */
  readonly name: string;
  /** The key that does the same. */
  readonly keys?: string;
  /** Write the name beside the icon. */
  readonly labelled?: boolean;
  /** Write the name alone, without the icon. */
  readonly worded?: boolean;
  readonly disabled?: boolean;
  readonly pressed?: boolean;
  readonly primary?: boolean;
  readonly hint?: string;
  /** Why it is disabled, as a sentence goes on. */
  readonly why?: string;
  act(): void;
}

/** As ARIA writes a key. */
const shortcut = (key: string): string => key.replace(/^Shift /, 'Shift+');

/**
 * A button that a step leaves as it is is not drawn again: there are twenty. A disabled one stays focusable (`aria-disabled`):
 * Step becomes disabled while it has the focus, and the focus must not fall back to the page. `act` is called
 * even then: it knows better than the last drawing whether the command makes sense at the moment of the click.
 */
function ButtonInner(props: ButtonProps): JSX.Element {
  const { icon, name, keys, worded = false, disabled = false, pressed, primary = false } = props;
  const { labelled = worded } = props;
  const why = disabled && props.why ? props.why : '';
  const text = `${unquoted(props.hint ?? name)}${why && ` Not now: ${why}.`}`;
  return (
    <button
      type="button"
      class={`vg-button${labelled ? ' vg-labelled' : ''}${worded ? ' vg-worded' : ''}${primary ? ' vg-primary' : ''}`}
      aria-label={name}
      aria-disabled={disabled}
      aria-pressed={pressed}
      aria-keyshortcuts={keys?.split(' or ').map(shortcut).join(' ')}
      {...(why === '' ? {} : { 'aria-description': `Not now: ${why}` })}
      title={keys ? `${text} (${keys})` : text}
      onClick={props.act}
    >
      {!worded && <Icon name={icon} />}
      {labelled && <span>{name}</span>}
    </button>
  );
}

export const Button = memo(ButtonInner);

interface CommandButtonProps {
  readonly command: CommandName;
  readonly labelled?: boolean;
  readonly worded?: boolean;
  readonly primary?: boolean;
}

/** Commands that are on or off; the others have no `aria-pressed`. */
const TOGGLES: readonly CommandName[] = [
  'toggle-breakpoint',
  'stop-at-nan',
  'colour-by-gradient',
  'compare-branch',
  'presentation',
  'memory',
  'help'
];

/** The button of a command: name, icon, key and sentence are those that were declared. */
export function CommandButton(props: CommandButtonProps): JSX.Element | null {
  const { command, ...looks } = props;
  const commands = useCommands();
  const { label, labelOn, help, icon } = commandOf(command);
  const keys = keyText(command);
  const on = commands.isOn(command);
  const act = useCallback(() => commands.perform(command), [commands, command]);
  const can = commands.can(command);
  const why = can ? '' : commands.why(command);
  return (
    <Button
      {...looks}
      icon={icon ?? 'next'}
      name={label}
      hint={`${on && labelOn !== label ? labelOn : label}. ${help}`}
      why={why}
      {...(keys === '' ? {} : { keys })}
      {...(TOGGLES.includes(command) ? { pressed: on } : {})}
      disabled={!can}
      act={act}
    />
  );
}
