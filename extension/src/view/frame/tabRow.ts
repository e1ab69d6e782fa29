/** Which tabs have room in one row. */

/**
 * How many of the first tabs, which are so wide, have room in a row of `room` pixels beside tab number `shown`, which
 * always has; null: all of them have.
 */
export function tabsWithin(wide: readonly number[], room: number, shown: number): number | null {
  const all = wide.reduce((sum, width) => sum + width, 0);
  if (all <= room + 0.5) {
    return null;
  }
  let taken = 0;
  for (const [i, width] of wide.entries()) {
    taken += width;
    if (taken + (shown > i ? (wide[shown] ?? 0) : 0) > room) {
      return i;
    }
  }
  return wide.length;
}
