/** The view in a tab of the main area, or in a window of its own. */
import type { ILabShell, JupyterFrontEnd } from '@jupyterlab/application';
import { Notification } from '@jupyterlab/apputils';
import type { ISessionContext } from '@jupyterlab/apputils';

import type { Asked } from '../view/host';
import { listenIn } from './code/pageViews';
import { GraphPanel } from './graphPanel';
import { KernelFollower } from './kernelFollower';
import { KernelPort } from './kernelPort';
import type { KernelPortOptions } from './kernelPort';
import { openWindow, showIn } from './ownWindow';

let made = 0;

/** A port that stays with the kernel of one document. */
export function portOf(document: ISessionContext, options: KernelPortOptions = {}): KernelPort {
  const follower = new KernelFollower();
  follower.stayWith(document);
  return new KernelPort(follower, options);
}

export function popOut(shell: ILabShell, document: ISessionContext, { session }: Asked): void {
  made += 1;
  const label = `Backward of ${document.name || 'a kernel'}`;
  const id = `vizgrad-tab-${made}`;
  const tab = new GraphPanel(portOf(document), { id, session, tab: { label, document } });
  shell.add(tab, 'main', { mode: 'split-right', type: 'Backward graph' });
  shell.activateById(tab.id);
}

export function popOutWindow(
  document: ISessionContext,
  { session }: Asked,
  listen: (page: Document) => void
): void {
  const other = openWindow(`Backward of ${document.name || 'a kernel'}`);
  if (!other) {
    Notification.error('The browser did not open a window: allow pop-ups for this page.');
    return;
  }
  listen(other.document);
  other.addEventListener('pagehide', listenIn(other.document));
  void showIn(other, portOf(document), session);
}

/** The document that a view belongs to: the one it is in, or the one that the side panel follows. */
export function documentOf(
  app: JupyterFrontEnd,
  view: Element,
  follower: KernelFollower
): ISessionContext | null {
  for (const widget of app.shell.widgets('main')) {
    if (widget.node.contains(view)) {
      const { sessionContext } = widget as { sessionContext?: ISessionContext };
      return (widget instanceof GraphPanel ? widget.document : sessionContext) ?? null;
    }
  }
  return follower.document;
}
