/** How much room the view has: side by side, the graph over tabs, or the same in a side panel. */
import type { Preferences } from '../protocol';

export type Width = 'wide' | 'medium' | 'narrow';

/** How much larger everything is in presentation size. */
export const PRESENTED = 1.4;

/** How many pixels of the page are one of an element: more where it is drawn larger. */
export function zoomOf(element: HTMLElement): number {
  const { currentCSSZoom: zoom } = element as { currentCSSZoom?: number };
  const ratio = element.getBoundingClientRect().width / element.offsetWidth;
  return zoom ?? (Number.isFinite(ratio) && ratio > 0 ? ratio : 1);
}

/** Pixels from which parts stand side by side; to teach, Engine and Saved tensors need less of it. */
const WIDE = 900;
const WIDE_TEACH = 640;
/** A view that is not even so high has no room for parts below the graph, and less width has to do. */
const LOW = 640;
const WIDE_LOW = 800;

/** `pixels` as large as type is: of a view that is drawn larger there are fewer. `height`: of the view, if it is known. */
export function widthOf(
  pixels: number,
  arrangement: Preferences['arrangement'] = 'auto',
  teach = false,
  height = LOW
): Width {
  const wide = teach ? WIDE_TEACH : height < LOW ? WIDE_LOW : WIDE;
  const width = pixels >= wide ? 'wide' : pixels >= 560 ? 'medium' : 'narrow';
  if (arrangement === 'columns') {
    return 'wide';
  }
  return arrangement === 'tabs' && width === 'wide' ? 'medium' : width;
}
