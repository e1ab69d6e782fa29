/** Tells the views on the page what JupyterLab does for them, and what a person has set there. */
import type { JupyterFrontEnd } from '@jupyterlab/application';
import type { ISettingRegistry } from '@jupyterlab/settingregistry';

import { PREFERENCES } from '../protocol';
import type { CommandName, Preferences } from '../protocol';
import { ASK_HOST, writeHost } from '../view/host';
import type { Asked } from '../view/host';
import { keysIn } from './keys';

/** What is done when a view asks for it. */
export type Doing = Partial<Record<CommandName, (asked: Asked, view: Element) => void>>;

/** Keys as declared hold until the settings are read: a page without them binds none. */
export function offerHost(
  app: JupyterFrontEnd,
  settings: ISettingRegistry | null,
  plugin: string,
  does: Doing,
  places = false
): void {
  const commands = Object.keys(does) as CommandName[];
  let preferences: Preferences = PREFERENCES;
  let bound = false;
  const tell = (): void => {
    const keys = keysIn(app.commands.keyBindings);
    bound ||= Object.values(keys).some(each => each.length > 0);
    writeHost(document, { commands, keys: bound ? keys : {}, preferences, places });
  };
  let soon = false;
  app.commands.keyBindingChanged.connect(() => {
    if (!soon) {
      soon = true; // A page that loads binds some hundred.
      setTimeout(() => {
        soon = false;
        tell();
      });
    }
  });
  tell();
  void settings?.load(plugin).then(
    loaded => {
      const read = (): void => {
        preferences = { ...PREFERENCES, ...(loaded.composite as Partial<Preferences>) };
        tell();
      };
      loaded.changed.connect(read);
      read();
    },
    () => undefined // A host that knows no schema of ours: what was declared holds.
  );
  document.addEventListener(ASK_HOST, event => {
    const asked = (event as CustomEvent<Asked>).detail;
    does[asked.command]?.(asked, event.target as Element);
  });
}
