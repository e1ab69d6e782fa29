import { EditorState } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';

import { choiceOf } from './choice';
import { mark, marking, SILENT } from './marks';
import type { Handlers, Told } from './marks';
import type { FileMarks, LineText, MarkedLine } from './program';
import { PLAIN } from './wishes';

const TEXT = 'def f(x):\n    y = x.tanh()\n    return y * 2';

const line = (fields: Partial<LineText>): LineText => ({
  line: 2,
  number: 0,
  norm: '‖g‖ 0.5',
  title: '',
  odd: false,
  turns: 1,
  stop: 'none',
  stopsIf: '',
  ...fields
});
const current: MarkedLine = {
  line: 2,
  node: 4,
  kind: 'next',
  text: 'next: TanhBackward0',
  call: { from: 8, endLine: 2, to: 16 }
};
const selected: MarkedLine = { ...current, line: 3, node: 3, kind: 'selected', call: null };
const marks: FileMarks = { session: 's1', text: TEXT, lines: [line({})], current, blamed: null };
const told: Told = { ...SILENT, marks };
const nodes = [
  { node: 4, turn: 1, name: 'TanhBackward0', done: false },
  { node: 5, turn: 0, name: 'TanhBackward0', done: false }
];
const choice = choiceOf(
  { type: 'line_nodes', request: 1, session: 's1', line: 0, total: 2, nodes },
  line({ turns: 2 }),
  []
);

let view: EditorView;
let handlers: Handlers;

beforeEach(() => {
  handlers = {
    goes: vi.fn(),
    toggles: vi.fn(),
    chooses: vi.fn(),
    shifts: vi.fn(),
    valueOf: () => Promise.resolve(null)
  };
  const state = EditorState.create({ doc: TEXT, extensions: marking(handlers) });
  view = new EditorView({ state, parent: document.body });
});
afterEach(() => view.destroy());

const all = (selector: string): Element[] => [...view.dom.querySelectorAll(selector)];
const texts = (selector: string): (string | null)[] => all(selector).map(one => one.textContent);
const list = (): HTMLSelectElement => all('select')[0] as HTMLSelectElement;
const write = (text: string): void => view.dispatch({ changes: { from: 0, insert: text } });
const go = (at: number, userEvent?: string): Promise<void> => {
  view.dispatch({
    selection: { anchor: view.state.doc.line(at).from },
    ...(userEvent === undefined ? {} : { userEvent })
  });
  return Promise.resolve(); // it is told after the update
};

describe('lines', () => {
  test('that comes next and that is looked at are told apart, each with its note', () => {
    mark(view, { ...told, selected });
    expect(all('.vg-current-line').map(each => each.getAttribute('data-node'))).toEqual(['4']);
    expect(texts('.vg-current-call')).toEqual(['x.tanh()']);
    const looked = all('.vg-selected-line').map(each => each.getAttribute('data-selected-node'));
    expect(looked).toEqual(['3']);
    expect(texts('.vg-line-norm')).toEqual(['‖g‖ 0.5']);
    mark(view, { ...told, selected: { ...selected, node: 4, line: 2 } });
    expect(all('.vg-selected-line')).toEqual([]); // the run stands at it: it is marked already
  });

  test('one that made the error of another is marked as well, with what it did', () => {
    const failed: MarkedLine = { ...current, kind: 'error', text: 'line 3 changed `h`' };
    const blamed: MarkedLine = { ...failed, line: 3, text: 'changes `h`', call: null };
    mark(view, { ...told, marks: { ...marks, current: failed, blamed } });
    expect(all('.vg-current-line.vg-mark-error')).toHaveLength(1);
    expect(texts('.vg-blamed-line .vg-line-note')).toEqual(['changes `h`']);
    expect(all('.vg-blamed-line')[0]?.getAttribute('data-blames')).toBe('4');
    mark(view, { ...told, marks: { ...marks, current: failed, blamed: { ...blamed, line: 2 } } });
    expect(all('.vg-blamed-line')).toEqual([]); // one line did both
  });

  test('are marked in the text that ran alone', () => {
    mark(view, { ...told, selected, choice });
    write('# new\n');
    expect(texts('.vg-cell-changed')).toEqual([
      'Edited since it ran. Run the cell to see line marks.'
    ]);
    expect(all('.vg-current-line, .vg-selected-line, .vg-line-norm, select')).toEqual([]);
    expect(all('[aria-label="Breakpoint, line 2"]')).toEqual([]);
    view.dispatch({ changes: { from: 0, to: 6 } });
    expect(texts('.vg-cell-changed')).toEqual([]);
    expect(all('.vg-current-line, .vg-selected-line')).toHaveLength(2);
  });

  test('of a file are not, where the kernel says that it is another', () => {
    const file = { ...told, marks: { ...marks, text: null } };
    mark(view, file);
    expect(all('.vg-current-line')).toHaveLength(1);
    mark(view, { ...file, other: true });
    expect(all('.vg-current-line')).toEqual([]);
    expect(texts('.vg-cell-changed')).toHaveLength(1);
    mark(view, { ...file, other: false, note: 'this is what ran' });
    expect(all('.vg-current-line')).toHaveLength(1);
    expect(texts('.vg-cell-changed')).toEqual(['this is what ran']);
  });
});

describe('the list of nodes', () => {
  test('is there where there is something to choose', () => {
    mark(view, { ...told, choice: { ...choice, nodes: nodes.slice(0, 1) } });
    expect(all('select')).toEqual([]);
    mark(view, { ...told, choice });
    expect([...list().options].map(each => each.text)).toEqual([
      '2 of 2: TanhBackward0',
      '1 of 2: TanhBackward0'
    ]);
    expect(list().labels[0]?.textContent).toContain('Line 2 recorded 2 nodes in 2 turns:');
  });

  test('stays the same element, so that it keeps the keyboard, when another is chosen', () => {
    mark(view, { ...told, choice });
    const before = list();
    before.focus();
    before.value = '5';
    before.dispatchEvent(new Event('change'));
    expect(handlers.chooses).toHaveBeenCalledExactlyOnceWith(view, 5);
    mark(view, { ...told, selected, choice: { ...choice, node: 5 } });
    expect(list()).toBe(before);
    expect(list().value).toBe('5');
    expect(document.activeElement).toBe(before);
  });

  test('keeps its keys to itself', () => {
    mark(view, { ...told, choice });
    const outside = vi.fn();
    document.body.addEventListener('keydown', outside);
    list().focus();
    list().dispatchEvent(new KeyboardEvent('keydown', { key: 'd', bubbles: true }));
    expect(outside).not.toHaveBeenCalled();
    list().dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }));
    expect(document.activeElement).toBe(view.contentDOM);
    document.body.removeEventListener('keydown', outside);
  });
});

describe('the cursor', () => {
  test('is heard of when a person puts it on another line, not when a program does', async () => {
    mark(view, told);
    await go(2);
    await go(3);
    expect(handlers.goes).not.toHaveBeenCalled();
    await go(2, 'select.pointer');
    await go(2, 'select');
    await go(3, 'select');
    expect(vi.mocked(handlers.goes).mock.calls.map(([, at]) => at)).toEqual([2, 3]);
  });

  test('is not heard of where the text changes', async () => {
    mark(view, told);
    view.dispatch({
      changes: { from: 0, insert: '\n\n' },
      selection: { anchor: 2 },
      userEvent: 'select'
    });
    await Promise.resolve();
    expect(handlers.goes).not.toHaveBeenCalled();
  });
});

test('lines that were wished move along with the text', () => {
  mark(view, { ...told, wished: new Map([[3, [PLAIN]]]) });
  write('# new\n');
  expect(handlers.shifts).toHaveBeenCalledExactlyOnceWith(view, new Map([[4, [PLAIN]]]));
});

test('a click beside a line is told with its line', () => {
  mark(view, told);
  const control = view.dom.querySelector('[aria-label="Breakpoint, line 2"]');
  expect(control?.getAttribute('aria-pressed')).toBe('false');
  control?.dispatchEvent(new MouseEvent('click', { bubbles: true }));
  expect(handlers.toggles).toHaveBeenCalledOnce();
});
