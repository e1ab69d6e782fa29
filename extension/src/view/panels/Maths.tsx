/** Mathematics that the kernel wrote as MathML: read as data, and only elements that are known are made. */
import { createElement } from 'preact';
import type { ComponentChild, JSX } from 'preact';

import type { Mathematics } from '../../protocol';

const KNOWN: ReadonlySet<string> = new Set([
  'math',
  'mrow',
  'mi',
  'mn',
  'mo',
  'mtext',
  'mspace',
  'mfrac',
  'msup',
  'msub',
  'msqrt',
  'mover',
  'mtable',
  'mtr',
  'mtd'
]);

export function Maths({ made: { mathml, text } }: { made: Mathematics }): JSX.Element {
  const parsed = new DOMParser().parseFromString(mathml, 'application/xml').documentElement;
  return (
    <div class="vg-maths" role="math" aria-label={text} title={text}>
      {parsed.tagName === 'math' ? element(parsed, 0) : text}
    </div>
  );
}

function element(from: Element, key: number): ComponentChild {
  const children = [...from.childNodes].map((child, i) =>
    child instanceof Element ? element(child, i) : child.textContent
  );
  if (!KNOWN.has(from.tagName)) {
    return children;
  }
  const attributes: Record<string, string | number> = { key };
  if (from.tagName === 'math') {
    attributes['displaystyle'] = 'true';
  } else if (from.tagName === 'mspace') {
    attributes['width'] = '0.2em';
  }
  return createElement(from.tagName, attributes, ...children);
}
