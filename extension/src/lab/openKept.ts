/** The button of a point of the curves of a training whose backward the kernel has kept. */
import type { Lost } from './keptOffers';

/** A backward that is kept, as the kernel knows it. */
const KEPT = /^(kept-\d+-[\da-f]+):([1-9]\d*)$/;

/** What a click on the button opens: the name that the kernel has for it, and its number; null: no such button. */
export function keptOf(target: EventTarget | null): { session: string; backward: number } | null {
  const button = target instanceof Element ? target.closest('button.vg-course-open') : null;
  const { session = '' } = button instanceof HTMLElement ? button.dataset : {};
  const found = KEPT.exec(session);
  return found ? { session, backward: Number(found[2]) } : null;
}

/** Heard when such a button has come on the page. */
export const OFFERED = 'vizgrad-offered';

/** Said instead of the button where the backward cannot be opened: what works is offered below it. */
export function lostText(backward: number, how: Lost): string {
  return how === 'restarted'
    ? `Backward ${backward} is gone: the kernel was restarted.`
    : `Backward ${backward} is not kept any more.`;
}

/** Puts that in place of a button; who was on it goes to what works. */
export function withdraw(button: HTMLElement, backward: number, how: Lost): void {
  const way = button.closest('p');
  const focused = button.ownerDocument.activeElement === button;
  way?.querySelector('[role="status"]')?.replaceChildren(lostText(backward, how));
  button.remove();
  if (focused) {
    const there = way?.parentElement?.querySelector<HTMLElement>('.vg-course-there');
    there?.focus();
  }
}

/** Said where the kernel does not know vizgrad: it was restarted, and importing vizgrad would bring nothing back. */
export function goneText(backward: number): string {
  const again = `%%vizgrad debug --at ${backward}`;
  return `Backward ${backward} is gone: the kernel was restarted. Run its cell again with \`${again}\`.`;
}
