import { fireEvent, render, waitFor, within } from '@testing-library/preact';
import type { RenderResult } from '@testing-library/preact';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';

import {
  box,
  drawing,
  frame,
  group,
  line,
  node,
  shown,
  tally,
  WAITING
} from '../../../tests/drawings';
import type { Drawing, Standing } from '../../protocol';
import { fromShown } from '../../store/session';
import type { DebuggerStore, SessionState, ViewState } from '../../store';
import { INITIAL_STATE } from '../../store/state';
import { foldingSent, INITIAL_VIEW, UNFOLDED } from '../../store/view';
import { Commands } from '../commands';
import { CommandsContext, StoreContext } from '../hooks';
import { hostOf } from '../host';
import { commandKey } from '../shortcuts';
import { GraphPanel } from './GraphPanel';

const store = {
  state: { value: INITIAL_STATE },
  fold: vi.fn(),
  select: vi.fn(),
  view: vi.fn(),
  follow: vi.fn(),
  actions: { runTo: vi.fn(), toggleBreakpoint: vi.fn() }
};

let page: RenderResult;

beforeEach(() => {
  vi.spyOn(Element.prototype, 'getBoundingClientRect').mockReturnValue(
    new DOMRect(0, 0, 1000, 600)
  );
  page = render(<div />);
});

afterEach(() => {
  page.unmount();
  vi.clearAllMocks();
});

const commands = new Commands(store as unknown as DebuggerStore, () => undefined);

function show(
  session: SessionState,
  changes: Partial<ViewState> = {},
  running: number | null = null
): void {
  const view = { ...INITIAL_VIEW, ...changes };
  store.state.value = { ...INITIAL_STATE, port: { state: 'open' }, session, view };
  page.rerender(
    <StoreContext.Provider value={store as unknown as DebuggerStore}>
      <CommandsContext.Provider value={commands}>
        <div onKeyDown={event => commandKey(event, commands)}>
          <GraphPanel
            session={session}
            view={view}
            why={store.state.value.why}
            ranks={null}
            running={running}
            host={hostOf(document)}
          />
        </div>
      </CommandsContext.Provider>
    </StoreContext.Provider>
  );
}

const graph = () => page.container as HTMLElement;
const item = (name: RegExp) => within(graph()).getByRole('treeitem', { name });
const world = () => graph().querySelector('.vg-canvas > g')?.getAttribute('transform');
const session = (drawn: Drawing, standing: Partial<Standing> = {}): SessionState =>
  fromShown(shown(drawn, standing), foldingSent(UNFOLDED), null);

/** A node, a closed group, and an open loop of 200 turns of which the 17th is drawn. */
const some = drawing({
  boxes: [
    box('r0', { kind: 'result', node: 0, x: 200, y: 0, height: 20 }),
    box('n0', { node: 0, x: 180, y: 50 }),
    box('g3', { kind: 'group', group: 3, title: 'fc1', x: 100, y: 150, first: 1, last: 5 }),
    box('c7_above', {
      kind: 'cells',
      group: 7,
      title: '18 … 200 of 200',
      frame: 0,
      cell: 0,
      cells: 3,
      first: 5,
      last: 11,
      x: 120,
      y: 300
    }),
    box('n11', { node: 11, frame: 1, x: 140, y: 450 }),
    box('p11_1', { kind: 'pin', node: 95, user: 11, edge: 1, use: 2, uses: 5, x: 300, y: 540 })
  ],
  lines: [line(0, 1), line(1, 2, { key: 'e0_0', node: 0, name: 'self' }), line(2, 3), line(4, 5)],
  frames: [
    frame(7, { x: 80, y: 270, width: 400, height: 300, cell: 3 }),
    frame(8, { parent: 0, x: 100, y: 410, width: 360, height: 140 })
  ],
  groups: [
    group(3, 1, 5, { title: 'fc1' }),
    group(7, 5, 21, { kind: 'loop', title: 'for t in range(8)', cells: 8 }),
    group(8, 11, 13, { parent: 7, kind: 'turn', title: '5 of 8' })
  ],
  nodes: [
    node(0, { name: 'SumBackward0' }),
    node(11, { name: 'TanhBackward0' }),
    node(95, { name: 'AccumulateGrad', kind: 'leaf', label: 'w' })
  ]
});

describe('what is drawn', () => {
  test('of a leaf with uses everywhere the one that is looked at has the ring', async () => {
    const pins = drawing({
      boxes: ['p1', 'p2', 'p3'].map((key, i) => box(key, { kind: 'pin', node: 95, x: 200 * i })),
      nodes: [node(95, { name: 'AccumulateGrad', kind: 'leaf', label: 'w' })]
    });
    show(session(pins), { selection: 95, follow: false });
    const ringed = () =>
      within(graph())
        .getAllByRole('treeitem')
        .filter(element => element.getAttribute('aria-selected') === 'true')
        .map(element => element.dataset['key']);
    expect(ringed()).toEqual(['p1']);
    (graph().querySelector('[data-key="p3"]') as SVGElement).focus();
    await waitFor(() => expect(ringed()).toEqual(['p3']));
  });

  test('while the run moves the node that is running says so, and none runs next', () => {
    const standing = {
      current: 0,
      nodes: [{ ...WAITING, state: 'current' as const }, WAITING, WAITING]
    };
    const at = session(some, standing);
    const said = (): (string | null | undefined)[] =>
      [0, 11].map(id =>
        graph().querySelector(`[data-node-id="${id}"]`)?.getAttribute('aria-label')
      );
    show(at);
    expect(said()).toEqual(['SumBackward0, runs next', 'TanhBackward0, waiting, 0 of 1']);
    show(at, {}, 0);
    expect(said()).toEqual(['SumBackward0, running', 'TanhBackward0, waiting, 0 of 1']);
    show(at, {}, 11); // What was next is done; what it gave is told when the run stops.
    expect(said()).toEqual(['SumBackward0, done', 'TanhBackward0, running']);
    expect(item(/SumBackward0/).dataset['state']).toBe('done');
    expect(item(/TanhBackward0/).dataset['state']).toBe('current');
    expect(graph().textContent).not.toContain('runs next');
  });

  test('a tree: what each thing is, what is in it, how deep it lies', () => {
    show(session(some));
    const items = within(graph()).getAllByRole('treeitem');
    expect(items.map(element => element.getAttribute('aria-label'))).toEqual([
      'SumBackward0, waiting, 0 of 1',
      'fc1, group, 0 of 4 nodes done',
      '18 … 200 of 200, 3 equal cells, 0 of 6 nodes done, gradient norms of 3 cells: none yet',
      'TanhBackward0, waiting, 0 of 1',
      'AccumulateGrad w, use 2 of 5, waiting, 0 of 1',
      'for t in range(8), open group, 0 of 16 nodes done, cell 5 of 8, ' +
        'gradient norms of 8 cells: none yet',
      '5 of 8, open group, 0 of 2 nodes done'
    ]);
    expect(items.map(element => element.getAttribute('aria-level'))).toEqual([
      '1', '1', '2', '3', '1', '1', '2'
    ]); // prettier-ignore
    expect(items.map(element => element.getAttribute('aria-expanded'))).toEqual([
      null, 'false', 'false', null, null, 'true', 'true'
    ]); // prettier-ignore
    expect(graph().querySelectorAll('[role=treeitem][tabindex="0"]')).toHaveLength(1);
  });

  test('states of groups follow from their counts, and the node that comes next', () => {
    const boxes = [null, null, tally(4, { done: 4 }), tally(6, { ready: 1 }), null, null];
    show(session(some, { boxes, current: 12 }));
    expect(item(/^fc1/).getAttribute('data-group-state')).toBe('done');
    expect(item(/^18/).getAttribute('data-group-state')).toBe('ready');
    const frames = [...graph().querySelectorAll('.vg-cluster')];
    expect(frames.map(element => element.getAttribute('data-group-state'))).toEqual([
      'current',
      'current'
    ]);
  });

  test('what is not finite is loud in a node, a group and on a line, and said', () => {
    const odd = { ...WAITING, state: 'done', order: 0, grad_norm: NaN } as const;
    const boxes = [null, null, tally(4, { nonfinite: 2 }), tally(6), null, null];
    const flows = [{ line: 1, node: 0, norm: Infinity, tangents: [] }];
    show(session(some, { boxes, flows, nodes: [odd, WAITING, WAITING] }));
    expect(item(/^Sum.*NaN/).classList.contains('vg-nonfinite')).toBe(true);
    // A triangle, where a tick would say that all is well.
    expect(item(/^Sum.*NaN/).querySelector('.vg-state')?.innerHTML).toContain('M8 2.2 14.4 13.4');
    expect(item(/^fc1.*2 not finite/).classList.contains('vg-nonfinite')).toBe(true);
    const path = graph().querySelector('[data-link="e0_0"]');
    expect(path?.classList.contains('vg-nonfinite')).toBe(true);
  });

  test('what came and was not finite is loud until a finite gradient was made of it', () => {
    const flows = [{ line: 0, node: 0, norm: NaN, tangents: [] }];
    const made = { ...WAITING, state: 'done', order: 0, grad_norm: 0.707 } as const;
    const loud = [WAITING, made, { ...made, grad_norm: NaN }].map(first => {
      show(session(some, { flows, nodes: [first, WAITING, WAITING] }));
      return item(/^Sum/).classList.contains('vg-nonfinite');
    });
    expect(loud).toEqual([true, false, true]);
  });

  test('cells are compared by a curve that says in words how it falls', () => {
    const norms = [0.8, 0.1, 0.0012307];
    const boxes = [null, null, tally(4), tally(6, { norms, firsts: [5, 7, 9] }), null, null];
    show(session(some, { boxes }));
    expect(item(/falls 650 times/).getAttribute('data-key')).toBe('c7_above');
  });

  test('breakpoints inside a closed group are counted', () => {
    show(session(some, { breakpoints: [2, 4, 0] }));
    expect(item(/^fc1.*2 breakpoints/)).toBeTruthy();
    expect(item(/^Sum.*breakpoint/)).toBeTruthy();
  });
});

describe('what a person does', () => {
  const click = (selector: string) => fireEvent.click(graph().querySelector(selector) as Element);

  test('opens and closes groups', () => {
    show(session(some));
    click('[data-key="g3"] .vg-toggle');
    expect(store.fold).toHaveBeenLastCalledWith({ open: [3] });
    fireEvent.dblClick(item(/^fc1/));
    expect(store.fold).toHaveBeenCalledTimes(2);
    fireEvent.keyDown(item(/^fc1/), { key: 'Enter' });
    expect(store.fold).toHaveBeenCalledTimes(3);
    fireEvent.click(item(/^for t/));
    expect(store.fold).toHaveBeenLastCalledWith({ close: [7] });
    fireEvent.keyDown(item(/^5 of 8/), { key: ' ' });
    expect(store.fold).toHaveBeenLastCalledWith({ close: [8] });
  });

  test('opens the cell that is nearest to the run, and goes to the cells beside', () => {
    show(session(some, { current: 8 }));
    fireEvent.click(item(/^18/));
    expect(store.fold).toHaveBeenLastCalledWith({ cell: { group: 7, cell: 1 } });
    fireEvent.keyDown(item(/^Tanh/), { key: ']' });
    expect(store.fold).toHaveBeenLastCalledWith({ cell: { group: 7, cell: 2 } });
    fireEvent.keyDown(item(/^for t/), { key: '[' });
    expect(store.fold).toHaveBeenLastCalledWith({ cell: { group: 7, cell: 4 } });
    fireEvent.click(within(graph()).getByRole('button', { name: /^Next cell/ }));
    expect(store.fold).toHaveBeenLastCalledWith({ cell: { group: 7, cell: 2 } });
  });

  test('there is no cell before the first', () => {
    const frames = [{ ...some.frames[0], cell: 0 }, some.frames[1]] as Drawing['frames'];
    show(session({ ...some, frames }));
    fireEvent.keyDown(item(/^Tanh/), { key: ']' });
    expect(store.fold).not.toHaveBeenCalled();
    const next = within(graph()).getByRole('button', { name: /^Next cell/ });
    expect(next.getAttribute('aria-disabled')).toBe('true');
  });

  test('selects nodes, walks along lines and out of groups', async () => {
    const focused = (name: RegExp) =>
      waitFor(() => expect(document.activeElement).toBe(item(name)));
    show(session(some));
    fireEvent.click(item(/^Tanh/));
    expect(store.select).toHaveBeenLastCalledWith(11);
    fireEvent.keyDown(item(/^Tanh/), { key: 'ArrowDown' });
    await focused(/^AccumulateGrad/);
    fireEvent.keyDown(item(/^AccumulateGrad/), { key: 'ArrowUp' });
    await focused(/^Tanh/);
    fireEvent.keyDown(item(/^Tanh/), { key: 'Backspace' });
    await focused(/^5 of 8/);
    fireEvent.keyDown(item(/^5 of 8/), { key: 'Backspace' });
    await focused(/^for t/);
  });

  test('colours by gradient, with a legend', () => {
    const done = { ...WAITING, state: 'done', order: 0, grad_norm: 1e-9 } as const;
    const seen = session(some, { nodes: [done, WAITING, WAITING] });
    show(seen);
    expect(item(/^Sum/).getAttribute('data-heat')).toBeNull();
    fireEvent.click(within(graph()).getByRole('button', { name: 'Colour by gradient' }));
    expect(store.view).toHaveBeenLastCalledWith({ heated: true, comparing: null });
    show(seen, { heated: true });
    expect(item(/^Sum/).getAttribute('data-heat')).toBe('-4');
    expect(item(/^Tanh/).getAttribute('data-heat')).toBe('none');
    expect(within(graph()).getByRole('note', { name: /norm of the gradient/ })).toBeTruthy();
  });

  test('goes to what was found, by name', () => {
    const found = {
      query: 'acc',
      total: 7,
      names: [
        { node: 95, name: 'AccumulateGrad', label: 'w', needed: 5 },
        { node: 96, name: 'AccumulateGrad', label: 'b', needed: 1 }
      ]
    };
    const search = { query: 'acc', index: -1 };
    show({ ...session(some), found }, { search });
    expect(item(/^AccumulateGrad w/).classList.contains('vg-match')).toBe(true);
    expect(graph().textContent).toContain('7 found');
    expect(graph().textContent).toContain('and 5 others');
    fireEvent.click(within(graph()).getByRole('button', { name: 'AccumulateGradb' }));
    expect(store.view).toHaveBeenLastCalledWith({ search: { query: 'acc', index: 1 } });
    expect(store.select).toHaveBeenLastCalledWith(96);
  });
});

test('zooming moves the picture and draws nothing', async () => {
  show(session(some));
  await waitFor(() => expect(world()).not.toContain('translate(0,0)'));
  const before = world();
  const drawn: MutationRecord[] = [];
  const observer = new MutationObserver(records => drawn.push(...records));
  const all = { attributes: true, childList: true, subtree: true };
  observer.observe(graph().querySelector('.vg-canvas') as Element, all);
  for (let i = 0; i < 5; i++) {
    fireEvent.keyDown(item(/^Sum/), { key: i % 2 ? '-' : '+' });
  }
  await waitFor(() => expect(world()).not.toBe(before));
  const moved = graph().querySelector('.vg-canvas > g');
  expect(drawn.filter(({ target }) => target !== moved)).toEqual([]);
  observer.disconnect();
});

test('a node that was selected while it was not drawn comes into view when it is', async () => {
  const before = session(some);
  show(before, { selection: 3, follow: false });
  await waitFor(() => expect(world()).not.toContain('translate(0,0)'));
  const opened = drawing({
    ...some,
    digest: 'other',
    height: 9000,
    boxes: [...some.boxes, box('n3', { node: 3, x: 90, y: 5000 })],
    nodes: [...some.nodes, node(3)]
  });
  const told = { ...shown(opened), revision: 2 };
  show(fromShown(told, foldingSent(UNFOLDED), before), { selection: 3, follow: false });
  const top = () => Number(/translate\([-\d.]+,([-\d.]+)/.exec(world() ?? '')?.[1]);
  const zoom = () => Number(/scale\(([\d.]+)\)/.exec(world() ?? '')?.[1]);
  await waitFor(() => expect(Math.abs(top() + 5026 * zoom() - 300)).toBeLessThan(200));
});

test('what was opened stays where it is when its drawing comes', async () => {
  const before = session(some);
  show(before);
  await waitFor(() => expect(world()).not.toContain('translate(0,0)'));
  const [, x, y] = /translate\(([-\d.]+),([-\d.]+)\)/.exec(world() ?? '') ?? [];
  fireEvent.keyDown(item(/^fc1/), { key: 'Enter' });
  const moved = drawing({
    boxes: some.boxes
      .filter(({ key, frame: at }) => key !== 'g3' && at === null)
      .map(each => ({ ...each, y: each.y + 900 })),
    frames: [frame(3, { x: 340, y: 400 })],
    groups: some.groups,
    nodes: some.nodes,
    digest: 'other'
  });
  show(fromShown({ ...shown(moved), revision: 2 }, foldingSent(UNFOLDED), before));
  const zoom = Number(/scale\(([\d.]+)\)/.exec(world() ?? '')?.[1]);
  const now = /translate\(([-\d.]+),([-\d.]+)\)/.exec(world() ?? '') ?? [];
  expect(Number(now[1]) + 340 * zoom).toBeCloseTo(Number(x) + 100 * zoom);
  expect(Number(now[2]) + 400 * zoom).toBeCloseTo(Number(y) + 150 * zoom);
  await waitFor(() => expect(document.activeElement).toBe(item(/^fc1, open group/)));
});

test('a graph is fitted by closing what is innermost, until names can be read', async () => {
  const tall = drawing({ ...some, height: 9000 });
  show(session(tall));
  await waitFor(() => expect(world()).not.toContain('translate(0,0)'));
  fireEvent.keyDown(item(/^fc1/), { key: 'f' });
  expect(store.fold).toHaveBeenLastCalledWith({ close: [8] });
  const boxes = (least: number): Drawing['boxes'] =>
    tall.boxes.map(each => ({ ...each, frame: (each.frame ?? 9) < least ? each.frame : null }));
  const frames = tall.frames.slice(0, 1);
  const less = drawing({ ...tall, height: 5000, boxes: boxes(1), frames, digest: 'less' });
  show(fromShown({ ...shown(less), revision: 2 }, foldingSent(UNFOLDED), session(tall)));
  await waitFor(() => expect(store.fold).toHaveBeenLastCalledWith({ close: [7] }));
  const low = drawing({ ...tall, height: 500, boxes: boxes(0), frames: [], digest: 'low' });
  show(fromShown({ ...shown(low), revision: 3 }, foldingSent(UNFOLDED), session(less)));
  await waitFor(() =>
    expect(Number(/scale\(([\d.]+)\)/.exec(world() ?? '')?.[1])).toBeGreaterThan(0.9)
  );
  expect(store.fold).toHaveBeenCalledTimes(2);
});
