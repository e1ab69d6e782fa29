/** Arrow keys among things of which one has the focus: tabs in a row, items of a menu below each other. */

const KEYS = {
  row: ['ArrowLeft', 'ArrowRight'],
  column: ['ArrowUp', 'ArrowDown']
} as const;

/**
 * Moves the focus among the elements of the event's listener that match, round and round; Home and End go to the first
 * and the last. The number of the one that got it; null: it was another key, and nothing happened.
 */
export function rove(
  event: KeyboardEvent,
  selector: string,
  along: keyof typeof KEYS
): number | null {
  const list = event.currentTarget;
  if (!(list instanceof HTMLElement) || event.ctrlKey || event.metaKey || event.altKey) {
    return null;
  }
  const items = [...list.querySelectorAll<HTMLElement>(selector)];
  const here = items.findIndex(item => item === item.ownerDocument.activeElement);
  const [back, forth] = KEYS[along];
  const next = new Map([
    [back, Math.max(here, 0) - 1],
    [forth, here + 1],
    ['Home', 0],
    ['End', -1]
  ]).get(event.key);
  if (next === undefined || items.length === 0) {
    return null;
  }
  const to = (next + items.length) % items.length;
  items[to]?.focus();
  event.preventDefault();
  event.stopPropagation();
  return to;
}
