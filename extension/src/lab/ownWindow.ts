/**
 * A view in a window of its own, for a second screen. The window is empty and of our page: the view in it is the same
 * program on the same comm, so it ends with the page. What it lacks is JupyterLab's keys with Ctrl.
 */
import type { MountedView } from '../view';
import type { KernelPort } from './kernelPort';

/** Null where the browser does not allow a window. */
export function openWindow(title: string): Window | null {
  const other = window.open('', '_blank', 'popup,width=1180,height=780');
  if (other) {
    other.document.title = title;
    other.document.documentElement.lang = document.documentElement.lang || 'en';
  }
  return other;
}

/** Shows the view there until the window is closed, or this page left. */
export async function showIn(
  other: Window,
  port: KernelPort,
  session: string | null
): Promise<MountedView> {
  const [{ openView }, { style }] = await Promise.all([import('../view'), import('../view/style')]);
  const host = document.createElement('main');
  host.style.cssText = 'position:fixed;inset:0';
  other.document.body.append(host);
  copyTheme(other.document, style);
  const without = ['pop-out', 'open-window', 'open-panel'] as const;
  const view = openView(host, port, { followNewest: true, fill: true, session, without });
  port.wake();
  // Keys and a clicker act there at once, without a click into the view.
  other.focus();
  host.querySelector<HTMLElement>('.vg-root')?.focus();
  const leave = (): void => other.close();
  window.addEventListener('pagehide', leave);
  const theme = new MutationObserver(() => copyTheme(other.document, style));
  theme.observe(document.body, { attributes: true });
  theme.observe(document.head, { childList: true }); // A theme comes as a style sheet, after its name.
  other.addEventListener('pagehide', () => {
    window.removeEventListener('pagehide', leave);
    theme.disconnect();
    view.unmount();
    port.dispose();
  });
  return view;
}

/** The colours and fonts of JupyterLab that the view uses. */
function copyTheme(to: Document, style: string): void {
  const values = getComputedStyle(document.body);
  for (const name of new Set(style.match(/--jp-[\w-]+/g))) {
    to.documentElement.style.setProperty(name, values.getPropertyValue(name));
  }
  const light = document.body.dataset['jpThemeLight'];
  if (light !== undefined) {
    to.body.dataset['jpThemeLight'] = light;
  }
  to.body.style.background = 'var(--jp-layout-color1)';
}
