/** Draws what a notebook kept of a session: which state that was, the picture, and its text. */
import style from '../../style/saved.raw.css';
import { nextIn, pictureOf, plainText, readSaved, svgIn, told } from './saved';
import type { Bundle } from './saved';

export const RUN_AGAIN = 'Run the cell to step again.';

/** Replaces what is in `node`. `going` says what to do, or what is being done; a button does it. */
export function drawSaved(
  node: HTMLElement,
  bundle: Bundle,
  going: string | HTMLButtonElement = RUN_AGAIN
): void {
  const saved = readSaved(bundle);
  const title = saved ? told(saved) : 'Saved picture of a session.';
  const note = made('p', `${title} `, 'vg-saved-note');
  note.setAttribute('role', 'note');
  note.append(going);
  node.replaceChildren(styles(), note, ...picture(bundle, title));
}

export function styles(): HTMLElement {
  return made('style', style);
}

export function button(text: string, act: () => void): HTMLButtonElement {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'vg-saved-button';
  button.textContent = text;
  button.addEventListener('click', act);
  return button;
}

/** With the text for who cannot see it; the text alone where there is no picture. */
function picture(bundle: Bundle, title: string): HTMLElement[] {
  const address = pictureOf(bundle);
  const words = made('pre', plainText(bundle), 'vg-saved-text');
  if (address === null) {
    return [words];
  }
  const image = document.createElement('img');
  image.alt = title;
  image.src = address;
  // A tall graph does not push the text around it away: its picture is scrolled, by keys, too.
  const frame = made('div', '', 'vg-saved-picture');
  frame.tabIndex = 0;
  frame.setAttribute('role', 'group');
  frame.setAttribute('aria-label', title);
  frame.append(image);
  image.addEventListener('load', () => scrollToNext(frame, image, nextIn(svgIn(bundle))), {
    once: true
  });
  const folded = document.createElement('details');
  folded.append(made('summary', 'As text'), words);
  return [frame, folded];
}

/** Of a tall picture is seen what it is about: what runs next, with what ran before it above. */
const NEXT_AT = 0.7;

function scrollToNext(frame: HTMLElement, image: HTMLElement, next: number | null): void {
  if (next !== null) {
    frame.scrollTop = Math.max(0, next * image.clientHeight - NEXT_AT * frame.clientHeight);
  }
}

export function made(name: string, text: string, className = ''): HTMLElement {
  const element = document.createElement(name);
  element.className = className;
  element.textContent = text;
  return element;
}
