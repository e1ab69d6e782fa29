/**
 * Titles of groups where they have too little room: what says least is left out first. Files of pictures do the same
 * (`vizgrad/debugger/drawing/title_forms.py`).
 */
import type { DrawnBox, Group } from '../../protocol';
import * as format from '../format';
import type { TextMetrics, TextRole } from './text';

const COUNT = /( × [\d,]+| · [^·]*)$/;
const LOOP = /^for (.+?) in (.+)$/s;
const MODULE = /^([\w.]+): (\w+)$/;
const PATH = /^[\w.]+$/;
const WORD = /[A-Z]+(?![a-z])|[A-Z]?[a-z\d_]+/g;
const JOINT = ' / ';

/**
 * Ever shorter forms of a title: of a loop what it goes over and how often stay, of a module its name, of groups in
 * each other the innermost, of a path its end.
 */
export function shortForms(title: string): readonly string[] {
  const count = COUNT.exec(title)?.[0] ?? '';
  return formsOf(title.slice(0, title.length - count.length)).map(form => form + count);
}

function formsOf(title: string): string[] {
  const [first = '', ...others] = title.split(JOINT);
  const last = others.at(-1);
  if (last !== undefined) {
    const whole = others.length > 1 ? [[first, '…', last].join(JOINT)] : [];
    return [...whole, ...[last, ...formsOf(last)].map(form => `…${JOINT}${form}`)];
  }
  const [, , over] = LOOP.exec(title) ?? [];
  if (over !== undefined) {
    return [`for … in ${over}`, `… in ${over}`, ...endsOf(over).map(end => `… in ${end}`)];
  }
  const [, name, kind] = MODULE.exec(title) ?? [];
  if (name === undefined || kind === undefined) {
    const ends = endsOf(title);
    return ends.length > 0 ? [...ends, title.slice(title.lastIndexOf('.') + 1)] : [];
  }
  const words = kind.match(WORD) ?? [];
  const kept = words.slice(1).map((_, i) => words.slice(0, words.length - 1 - i).join(''));
  return [...kept.map(each => `${name}: ${each}…`), name];
}

/** Without its first names: `…gru.weight_hh_l0`. */
function endsOf(path: string): string[] {
  const parts = PATH.test(path) ? path.split('.') : [];
  return parts.slice(1).map((_, i) => `…${parts.slice(i + 1).join('.')}`);
}

/** As much of a title as fits into `room` pixels. One without a form that is short enough loses its middle. */
export function fitTitle(
  metrics: TextMetrics,
  title: string,
  room: number,
  role: TextRole
): string {
  const forms = [title, ...shortForms(title)];
  const fitting = forms.find(form => metrics.width(form, role) <= room);
  return fitting ?? metrics.fit(forms.at(-1) ?? title, room, role);
}

/** The title of a box as it is before the kernel cuts it for a picture: to be read out, and in tips. */
export function wholeTitle({ kind, title }: DrawnBox, group: Group | undefined): string {
  if (kind !== 'group' || !group || !title.includes('…')) {
    return title;
  }
  const { cells, kind: what } = group;
  return group.title + (what === 'loop' && cells > 1 ? ` × ${format.whole(cells)}` : '');
}
