/** "Debug there" of a finding: a cell that stops before the backward in which it happened first. */

/** What a button in an output says: the number of the backward in its cell, and the id of that cell ('': unknown). */
export interface There {
  readonly at: number;
  readonly cell: string;
}

/** Of findings, as `explanations_html` writes them, of the curves of a training, and of answers in a view. */
const BUTTONS =
  '.vizgrad-why button[data-at], button.vg-course-there[data-at], button.vg-there[data-at]';

/** The button that a click is on; null: none. */
export function thereOf(target: EventTarget | null): There | null {
  const button = target instanceof Element ? target.closest(BUTTONS) : null;
  const { at, cell = '' } = button instanceof HTMLElement ? button.dataset : {};
  return at !== undefined && /^[1-9]\d*$/.test(at) ? { at: Number(at), cell } : null;
}

/** The text of a cell that runs `source` up to its backward number `at`; a magic of ours on its first line is replaced. */
export function debugCell(source: string, at: number): string {
  const body = source.replace(/^\s*%%vizgrad\b[^\n]*\n?/, '');
  return `%%vizgrad debug --at ${at}\n${body}`;
}
