/**
 * A name that is shortened in its middle where room is short: beginnings are alike, ends tell apart. Screen readers get
 * it whole, because they would read each part as a word; so do searches and tests, as the parts are drawn by the style.
 */
import type { JSX } from 'preact';

/** Characters of the end that stay, at most. */
const END = 14;
/** Characters of the beginning that are not narrower than the sign that they are cut. */
const CUT = 3;
/** So short a name is never cut. */
const SHORT = 6;

export function Middle({ text }: { text: string }): JSX.Element {
  const { start, end, tail } = parted(text);
  const cut = end && start.length >= CUT;
  return (
    <span class="vg-middle" title={text}>
      <span class="vg-spoken">{text}</span>
      <span class="vg-middle-name" aria-hidden="true">
        {start && (
          <span class={cut ? 'vg-middle-start vg-cut' : 'vg-middle-start'} data-part={start} />
        )}
        {end && <span class="vg-middle-end" data-part={end} />}
      </span>
      {tail && <span class="vg-middle-tail" data-part={tail} aria-hidden="true" />}
    </span>
  );
}

export interface Parts {
  /** Is cut first but for `tail`. */
  readonly start: string;
  /** Whole words that stay. */
  readonly end: string;
  /** What many names end with: it goes before anything else does. */
  readonly tail: string;
}

/** At the beginning of a word, never within one. */
export function parted(text: string): Parts {
  const tail = /(?<=.)Backward\d*$/.exec(text)?.[0] ?? '';
  const name = text.slice(0, text.length - tail.length);
  const words = name.split(/(?<=[\s._/:>-])(?=[^\s])|(?=[[(])|(?<=[a-z\d])(?=[A-Z])/);
  let cut = name.length;
  while (words.length > 1 && name.length > SHORT) {
    const word = words.pop() ?? '';
    if (name.length - cut + word.length > END) {
      break;
    }
    cut -= word.length;
  }
  return { start: name.slice(0, cut), end: name.slice(cut), tail };
}
