/**
 * The style sheet in a page: once, however many views there are. The browser compares each element of the page with
 * the rules of each sheet, so a sheet for each view would make each view slow down all others.
 */
import { style } from './style';

/** False where the view is not in a page yet: then it has to bring the style sheet itself. */
export function putStyle(el: HTMLElement): boolean {
  if (!el.isConnected) {
    return false;
  }
  // Some hosts show each output in a shadow tree, into which no sheet of the page reaches.
  const page = el.ownerDocument;
  const root = el.getRootNode();
  const place = root === page ? page.body : root;
  const known = [...place.childNodes].some(
    each => each.nodeName === 'STYLE' && each.textContent === style
  );
  if (!known) {
    const sheet = page.createElement('style');
    sheet.textContent = style;
    place.appendChild(sheet);
  }
  return true;
}
