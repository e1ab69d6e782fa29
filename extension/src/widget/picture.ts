/**
 * A picture of the session where no kernel answers: in pages made of a notebook with the state of its widgets
 * (nbconvert, marimo's export), and in notebooks that a host shows again without running them.
 */
import { button, drawSaved, made } from '../mime/draw';
import { readSaved } from '../mime/saved';
import type { Bundle } from '../mime/saved';
import type { DebuggerStore } from '../store';

/** Milliseconds in which a kernel that has nothing else to do has answered long since. */
export const PATIENCE = 2000;

export const NO_KERNEL = 'No kernel has answered yet: there is none, or it is busy. ';

/** Stands in `el`, instead of the view in `room`. The function returned takes it away, as does an answer. */
export function pictureUntilAnswered(
  el: HTMLElement,
  room: HTMLElement,
  store: DebuggerStore,
  still: unknown
): () => void {
  if (typeof still !== 'object' || still === null || !readSaved(still as Bundle)) {
    return () => undefined;
  }
  const picture = made('div', '', 'vg-saved');
  const show = (): void => {
    const again = button('Try again', () => {
      end();
      store.retry();
    });
    drawSaved(picture, still as Bundle, again);
    picture.querySelector('.vg-saved-note')?.prepend(NO_KERNEL);
    el.prepend(picture);
    room.hidden = true;
  };
  const timer = setTimeout(show, PATIENCE);
  const forget = store.state.subscribe(() => {
    if (store.state.value.session) {
      end();
    }
  });
  function end(): void {
    clearTimeout(timer);
    forget();
    picture.remove();
    room.hidden = false;
  }
  return end;
}
