/** How much room the view has: side by side, in two columns, or stacked (a side panel). */
export type Width = 'wide' | 'medium' | 'narrow';

export function widthOf(pixels: number): Width {
  return pixels >= 900 ? 'wide' : pixels >= 560 ? 'medium' : 'narrow';
}
