/**
 * The commands of a view as JupyterLab commands: in the palette, and free to be given keys. They act on the
 * view that had the keyboard last, of a widget or a panel; if there is none, on the side panel.
 */
import type { JupyterFrontEnd } from '@jupyterlab/application';

import { COMMANDS } from '../protocol';
import type { CommandName } from '../protocol';
import { askView } from '../view/host';

export const idOf = (name: CommandName): string => `vizgrad:${name}`;

/** Which view is meant where none is named. */
export class Views {
  private last: Element | null = null;

  /** `panel` is where the side panel's view is, once it is there. */
  constructor(private readonly panel: HTMLElement) {
    this.listen(document);
  }

  /** Views in another window count, too. */
  listen(page: Document): void {
    page.addEventListener('focusin', event => {
      const root = (event.target as Element).closest('.vg-root');
      this.last = root ?? this.last;
    });
  }

  get current(): Element | null {
    return this.last?.isConnected ? this.last : this.panel.querySelector('.vg-root');
  }
}

export function addCommands(
  commands: JupyterFrontEnd['commands'],
  views: Views,
  own: Partial<Record<CommandName, () => void>>
): void {
  for (const { name, label, help } of COMMANDS) {
    const toggles = ['presentation', 'colour-by-gradient', 'memory', 'help'].includes(name);
    const ask = (only: 'can' | 'isOn'): boolean =>
      views.current !== null && askView(views.current, name, only);
    commands.addCommand(idOf(name), {
      label,
      caption: help,
      describedBy: { args: { type: 'object', properties: {} } },
      ...(own[name]
        ? { execute: own[name] }
        : {
            isEnabled: () => ask('can'),
            ...(toggles ? { isToggled: () => ask('isOn') } : {}),
            execute: () => {
              if (views.current) {
                askView(views.current, name);
              }
            }
          })
    });
  }
}
