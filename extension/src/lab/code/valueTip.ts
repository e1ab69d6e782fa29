/** The value of a variable in a marked text: in a tip where the pointer rests on it, or at the cursor on a command. */
import { StateEffect, StateField } from '@codemirror/state';
import type { EditorState, Extension } from '@codemirror/state';
import { closeHoverTooltips, hoverTooltip, keymap, showTooltip } from '@codemirror/view';
import type { EditorView, Tooltip } from '@codemirror/view';

import type { Watched } from '../../protocol';
import * as format from '../../view/format';
import { FINE, paint } from '../../view/panels/array/paint';
import { scaleOf } from '../../view/panels/array/scale';

/** The value of an expression where the run stands; null: it has none there. */
export type ValueOf = (expression: string) => Promise<Watched | null>;

interface Word {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** Pixels. */
const PICTURE = { width: 180, height: 110 };
/** A path of attributes: `model.weight.grad`. Calls and elements are for the watch list. */
const PATH = /[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*/g;
const KEYWORDS = new Set(
  (
    'and as assert async await break class continue def del elif else except False finally for from global if ' +
    'import in is lambda None nonlocal not or pass raise return True try while with yield'
  ).split(' ')
);

/** The name at a place, with what it is an attribute of; null: there is none, or it is in a comment or a text. */
export function wordAt(state: EditorState, position: number): Word | null {
  const line = state.doc.lineAt(position);
  const at = position - line.from;
  for (const found of line.text.matchAll(PATH)) {
    const { index } = found;
    if (index <= at && at <= index + found[0].length) {
      const rest = found[0].slice(at - index);
      const end = at + (rest.search(/\.|$/) || 0);
      const text = line.text.slice(index, end);
      const before = line.text.slice(0, index);
      const quoted = /[#'"]/.test(before.replace(/(['"])(?:(?!\1).)*\1/g, ''));
      return quoted || KEYWORDS.has(text) || text === ''
        ? null
        : { from: line.from + index, to: line.from + end, text };
    }
  }
  return null;
}

/** A value in a few lines: what it is, its statistics, and a picture. */
export function drawValue({ expression, text, summary }: Watched): HTMLElement {
  const tip = made('div', '', 'vg-value-tip');
  tip.setAttribute('role', 'tooltip');
  tip.append(made('strong', expression), ' ');
  if (!summary) {
    tip.append(made('code', text));
    return tip;
  }
  tip.append(made('code', format.tensor(summary)));
  tip.append(made('div', statistics(summary)));
  if (summary.heat) {
    const { values } = summary.heat;
    const [rows, columns] = [values.length, values[0]?.length ?? 1];
    const size = Math.max(1, Math.min(16, PICTURE.width / columns, PICTURE.height / rows));
    const canvas = document.createElement('canvas');
    canvas.width = Math.ceil(columns * size * FINE);
    canvas.height = Math.ceil(rows * size * FINE);
    canvas.style.width = `${columns * size}px`;
    canvas.setAttribute('role', 'img');
    canvas.setAttribute('aria-label', `Picture of ${expression}`);
    const scale = scaleOf(summary.heat);
    paint(canvas, summary.heat, { width: size, height: size }, scale.largest, false);
    tip.append(canvas);
  }
  return tip;
}

/** `norm 1.2, mean 0.1, from -1 to 2, 3 NaN`; its values where these are few. */
export function statistics(summary: NonNullable<Watched['summary']>): string {
  const { values, norm, mean, min, max, nans, infs } = summary;
  if (
    values !== null &&
    values.length > 0 &&
    values.length <= 6 &&
    !summary.dtype.startsWith('c')
  ) {
    return values.map(value => format.number(value)).join(', ');
  }
  return [
    norm === null ? '' : `norm ${format.number(norm)}`,
    mean === null ? '' : `mean ${format.number(mean)}`,
    min === null || max === null ? '' : `from ${format.number(min)} to ${format.number(max)}`,
    nans > 0 ? `${format.whole(nans)} NaN` : '',
    infs > 0 ? `${format.whole(infs)} Inf` : ''
  ]
    .filter(Boolean)
    .join(', ');
}

const put = StateEffect.define<Tooltip | null>();

/** The tip that a command has opened: gone with the next key that moves the cursor, or Escape. */
const atCursor = StateField.define<Tooltip | null>({
  create: () => null,
  update(before, transaction) {
    const told = transaction.effects.find(effect => effect.is(put));
    if (told) {
      return told.value;
    }
    return transaction.docChanged || transaction.selection ? null : before;
  },
  provide: field => showTooltip.from(field)
});

/** `marked`: does the editor hold a text of the program, as it ran? */
export function valueTips(valueOf: ValueOf, marked: (state: EditorState) => boolean): Extension {
  return [
    atCursor,
    keymap.of([
      {
        key: 'Escape',
        run: view => {
          const open = view.state.field(atCursor) !== null;
          if (open) {
            view.dispatch({ effects: put.of(null) });
          }
          return open;
        }
      }
    ]),
    hoverTooltip(async (view, position) => {
      const word = marked(view.state) ? wordAt(view.state, position) : null;
      const value = word && (await valueOf(word.text));
      const there = view.state.field(atCursor)?.pos === word?.from;
      return word && value && !there ? tipOf(word, value) : null;
    })
  ];
}

/** Shows the value of the name at the cursor. False: there is none, or it has no value here. */
export async function showAtCursor(view: EditorView, valueOf: ValueOf): Promise<boolean> {
  const word = wordAt(view.state, view.state.selection.main.head);
  const value = word && (await valueOf(word.text));
  if (!word || !value) {
    return false;
  }
  if (view.state.field(atCursor, false) !== undefined) {
    view.dispatch({ effects: [closeHoverTooltips, put.of(tipOf(word, value))] });
  }
  return true;
}

function tipOf({ from, to }: Word, value: Watched): Tooltip {
  return { pos: from, end: to, above: true, create: () => ({ dom: drawValue(value) }) };
}

function made(name: string, text: string, className = ''): HTMLElement {
  const element = document.createElement(name);
  element.className = className;
  element.textContent = text;
  return element;
}
