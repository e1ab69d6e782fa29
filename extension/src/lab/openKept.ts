/** The button of a point of the curves of a training whose backward the kernel has kept. */

/** A backward that is kept, as the kernel knows it. */
const KEPT = /^(kept-\d+-[\da-f]+):([1-9]\d*)$/;

/** What a click on the button opens: the name that the kernel has for it, and its number; null: no such button. */
export function keptOf(target: EventTarget | null): { session: string; backward: number } | null {
  const button = target instanceof Element ? target.closest('button.vg-course-open') : null;
  const { session = '' } = button instanceof HTMLElement ? button.dataset : {};
  const found = KEPT.exec(session);
  return found ? { session, backward: Number(found[2]) } : null;
}
