/** "Debug there" of a finding: a cell that stops before the backward in which it happened first. */

/** What a button in an output says: the number of the backward in its cell, and the id of that cell ('': unknown). */
export interface There {
  readonly at: number;
  readonly cell: string;
}

/** The button that a click is on, as `explanations_html` writes it; null: none. */
export function thereOf(target: EventTarget | null): There | null {
  const button = target instanceof Element ? target.closest('.vizgrad-why button[data-at]') : null;
  const { at, cell = '' } = button instanceof HTMLElement ? button.dataset : {};
  return at !== undefined && /^[1-9]\d*$/.test(at) ? { at: Number(at), cell } : null;
}

/** The text of a cell that runs `source` up to its backward number `at`; a magic of ours on its first line is replaced. */
export function debugCell(source: string, at: number): string {
  const body = source.replace(/^\s*%%vizgrad\b[^\n]*\n?/, '');
  return `%%vizgrad debug --at ${at}\n${body}`;
}
