/** Mathematics that the kernel wrote as MathML: read as data, and only elements that are known are made. */
import { createElement } from 'preact';
import type { ComponentChild, JSX } from 'preact';
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';

import type { Mathematics } from '../../protocol';
import { useSize } from '../hooks';
import { piecesOf } from './mathPieces';
import type { Part } from './mathPieces';

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

const DISPLAYED: Record<string, string> = { displaystyle: 'true' };

/** On one line; where that has no room on several, for browsers break no mathematics themselves. */
export function Maths({ made: { mathml, text } }: { made: Mathematics }): JSX.Element {
  const parsed = useMemo(
    () => new DOMParser().parseFromString(mathml, 'application/xml').documentElement,
    [mathml]
  );
  const host = useRef<HTMLDivElement>(null);
  const room = useSize(host)?.width ?? 0;
  /** How much room it takes on one line, if that was too much. */
  const [needed, setNeeded] = useState(0);
  const broken = needed > room;
  useLayoutEffect(() => setNeeded(0), [mathml]);
  useLayoutEffect(() => {
    const { scrollWidth = 0, clientWidth = 0 } = host.current ?? {};
    if (!broken && scrollWidth > clientWidth) {
      setNeeded(scrollWidth);
    }
  }, [mathml, room, broken]);
  return (
    <div
      ref={host}
      class={broken ? 'vg-maths vg-broken' : 'vg-maths'}
      role="math"
      aria-label={text}
      title={text}
    >
      {parsed.tagName !== 'math' ? text : broken ? lines(parsed) : element(parsed, 0)}
    </div>
  );
}

/** Each line as `math` elements beside each other, between which it may be broken. */
function lines(parsed: Element): ComponentChild {
  const table = parsed.firstElementChild;
  const rows = table?.tagName === 'mtable' ? [...table.children] : [parsed];
  return rows.map((row, i) => (
    <div key={i} class="vg-maths-line">
      {piecesOf(inOneRow(row)).map((piece, k) =>
        createElement(
          'math',
          { key: k, ...DISPLAYED },
          piece.map((part, n) => element(part.element, n, part))
        )
      )}
    </div>
  ));
}

/** The cells of a row of a table as if there were none. */
function inOneRow(row: Element): Element {
  if (row.tagName !== 'mtr') {
    return row;
  }
  const line = row.ownerDocument.createElement('mrow');
  for (const cell of row.children) {
    line.append(...[...cell.children].map(child => child.cloneNode(true)));
  }
  return line;
}

function element(from: Element, key: number, part?: Part): ComponentChild {
  const children = [...from.childNodes].map((child, i) =>
    child instanceof Element ? element(child, i) : child.textContent
  );
  if (!KNOWN.has(from.tagName)) {
    return children;
  }
  const attributes: Record<string, string | number> = { key };
  if (from.tagName === 'math') {
    Object.assign(attributes, DISPLAYED);
  } else if (from.tagName === 'mspace') {
    attributes['width'] = '0.2em';
  } else if (part?.form !== undefined) {
    Object.assign(attributes, { form: part.form }, part.alone ? { stretchy: 'false' } : {});
  }
  return createElement(from.tagName, attributes, ...children);
}
