/** A name that is shortened in its middle where room is short: beginnings are alike, ends tell apart. */
import type { JSX } from 'preact';

/** Characters of the end that stay, at most. */
const END = 7;
/** So short a name is never cut. */
const SHORT = 6;

export function Middle({ text }: { text: string }): JSX.Element {
  const { length } = text;
  const cut = length <= SHORT ? length : length - Math.min(END, Math.floor(length / 2));
  return (
    <span class="vg-middle" title={text}>
      <span class="vg-middle-start">{text.slice(0, cut)}</span>
      {cut < text.length && <span class="vg-middle-end">{text.slice(cut)}</span>}
    </span>
  );
}
