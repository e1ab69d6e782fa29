/** How much room the view has: side by side, the graph over two parts, or over tabs alone (a side panel). */
import type { Preferences } from '../protocol';

export type Width = 'wide' | 'medium' | 'narrow';

/** How much larger everything is in presentation size. */
export const PRESENTED = 1.4;

export function widthOf(pixels: number, arrangement: Preferences['arrangement'] = 'auto'): Width {
  const width = pixels >= 900 ? 'wide' : pixels >= 560 ? 'medium' : 'narrow';
  if (arrangement === 'columns') {
    return 'wide';
  }
  return arrangement === 'tabs' && width === 'wide' ? 'medium' : width;
}
