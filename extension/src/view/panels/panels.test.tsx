import { fireEvent, render, waitFor, within } from '@testing-library/preact';
import { afterEach, describe, expect, test, vi } from 'vitest';

import { node } from '../../../tests/drawings';
import { Player } from '../../../tests/player';
import { RECORDINGS } from '../../../tests/recordings';
import type { Recording } from '../../../tests/recordings';
import type { Blocks, Part, TensorSummary } from '../../protocol';
import { openView } from '..';
import type { MountedView } from '..';
import { Maths } from './Maths';
import { Recorded } from './Recorded';
import { TensorCard } from './TensorCard';

const SUMMARY: TensorSummary = {
  shape: [2, 3],
  dtype: 'float32',
  device: 'cpu',
  bytes: 24,
  norm: 3,
  min: -2,
  max: 2,
  mean: 0,
  zeros: 0,
  nans: 0,
  infs: 0,
  histogram: [],
  heat: null,
  values: null,
  phases: null,
  layout: 'strided',
  nnz: null,
  tangents: []
};

function blocks(
  values: number[][],
  size: [number, number] = [1, 1],
  phases: number[][] = []
): Blocks {
  return {
    rows: [0, values.length * size[0]],
    columns: [0, (values[0]?.length ?? 0) * size[1]],
    size,
    values,
    phases
  };
}

function card(change: Partial<TensorSummary>): HTMLElement {
  return render(<TensorCard title="g" summary={{ ...SUMMARY, ...change }} />)
    .container as HTMLElement;
}

describe('where a node was recorded', () => {
  test('is said with how to have it noted, where the engine notes no lines', async () => {
    const recorded = (fields: Parameters<typeof node>[1], unnoted: string): HTMLElement =>
      render(<Recorded node={node(1, { place: null, ...fields })} unnoted={unnoted} />)
        .container as HTMLElement;
    const write = vi.fn(() => Promise.resolve());
    vi.stubGlobal('navigator', { userAgent: 'jsdom', clipboard: { writeText: write } });
    // The sentence is the kernel's: it knows whether the magics are loaded.
    const host = recorded({}, 'its line was not noted: compute it inside `with vizgrad.watch():`');
    expect(host.textContent).toContain(
      'Its line was not noted: compute it inside with vizgrad.watch():.'
    );
    fireEvent.click(within(host).getByRole('button', { name: 'Copy with vizgrad.watch():' }));
    expect(await within(host).findByText('Copied.')).toBeTruthy();
    expect(write).toHaveBeenCalledWith('with vizgrad.watch():\n    ');
    const other = recorded({}, 'its line was not noted: run `%vizgrad watch on`, and so on');
    fireEvent.click(within(other).getByRole('button', { name: 'Copy %vizgrad watch on' }));
    expect(await within(other).findByText('Copied.')).toBeTruthy();
    expect(write).toHaveBeenLastCalledWith('%vizgrad watch on');
    vi.unstubAllGlobals();
    expect(recorded({}, '').textContent).toBe('');
  });
});

describe('an array', () => {
  test('in forward mode is told with its tangent, which goes down as it does', () => {
    const few = card({ shape: [2], tangents: [{ norm: 36.1, values: [3, 36], phases: null }] });
    const told = few.querySelector('.vg-tangent');
    expect(told?.textContent).toBe('tangent ↓float32 [2][3, 36]');
    expect(told?.getAttribute('title')).toContain('from the results to the inputs');
    const many = card({ tangents: [{ norm: 36.1, values: null, phases: null }] });
    expect(many.querySelector('.vg-tangent')?.textContent).toBe('tangent ↓float32 [2, 3]norm 36.1');
  });

  test('of up to eight values is written as numbers', () => {
    const host = card({ values: [1, -0.5, 0, NaN, Infinity, 2] });
    expect(host.querySelector('.vg-numbers')?.textContent).toBe('[[1, -0.5, 0], [NaN, inf, 2]]');
    expect(host.querySelectorAll('.vg-is-odd')).toHaveLength(2);
    expect(host.querySelector('canvas')).toBeNull();
    expect(card({ shape: [], values: [0.25] }).querySelector('.vg-numbers')?.textContent).toBe(
      '0.25'
    );
  });

  test('of complex numbers is written by magnitude and phase, and it is said so', () => {
    const host = card({ shape: [1], dtype: 'complex64', values: [2], phases: [Math.PI / 2] });
    expect(host.querySelector('.vg-numbers')?.textContent).toBe('[2 ∠ 90°] magnitude ∠ phase');
  });

  test('is drawn with axes, scale and a legend for sign and magnitude', () => {
    const host = card({
      shape: [40, 60],
      heat: blocks(
        [
          [1, -4],
          [0, 2]
        ],
        [20, 30]
      )
    });
    const picture = within(host).getByRole('application');
    expect(picture.getAttribute('aria-label')).toBe(
      'Values of [40, 60], ±4, move with the arrow keys'
    );
    expect(host.querySelector('.vg-axis-columns')?.textContent).toBe('0dim 159');
    expect(host.querySelector('.vg-axis-rows')?.textContent).toBe('0dim 039');
    expect(host.querySelector('.vg-array-legend')?.textContent).toBe('-404');
    expect(host.querySelector('.vg-readout')?.textContent).toBe(
      'each cell: largest of 20 × 30 values'
    );
  });

  test('says what is not finite, each by its sign', () => {
    const host = card({ shape: [1, 30], heat: blocks([[NaN, 1, Infinity, -Infinity]], [1, 8]) });
    const legend = host.querySelector('.vg-array-legend')?.textContent;
    expect(legend).toContain('✕ NaN');
    expect(legend).toContain('▲ inf');
    expect(legend).toContain('▼ -inf');
    expect(within(host).getByRole('application').getAttribute('aria-label')).toContain(
      '1 cell with NaN, 2 cells with inf'
    );
  });

  test('tells index and value to the keyboard', () => {
    const host = card({ shape: [2, 3, 2], heat: blocks(range(6).map(i => [2 * i, -2 * i - 1])) });
    const picture = within(host).getByRole('application');
    const told = (): string | null | undefined => host.querySelector('.vg-readout')?.textContent;
    fireEvent.keyDown(picture, { key: 'ArrowRight' });
    expect(told()).toBe('[0, 0, 0] 0');
    range(4).forEach(() => fireEvent.keyDown(picture, { key: 'ArrowDown' }));
    fireEvent.keyDown(picture, { key: 'ArrowRight' });
    expect(told()).toBe('[1, 1, 1] -9');
    fireEvent.keyDown(picture, { key: 'End' });
    expect(told()).toBe('[1, 2, 1] -11');
    fireEvent.keyDown(picture, { key: 'Home' });
    expect(told()).toBe('[0, 0, 0] 0');
  });

  test('of complex numbers is two pictures, labelled', () => {
    const host = card({ shape: [1, 9], dtype: 'complex64', heat: blocks([[1]], [1, 9], [[0.5]]) });
    expect([...host.querySelectorAll('.vg-array-title')].map(e => e.textContent)).toEqual([
      'magnitude',
      'phase'
    ]);
    expect(within(host).getByText('mean |z|')).toBeTruthy();
  });
});

test('mathematics is made of known elements alone, with its text beside', () => {
  const mathml =
    '<math onclick="x()"><mrow><mi href="javascript:x()">x</mi><script>bad()</script>' +
    '<msup><mi>y</mi><mn>2</mn></msup></mrow></math>';
  const { container } = render(
    <Maths made={{ input: 'self', mathml, text: 'x y**2', where: '' }} />
  );
  const math = within(container as HTMLElement).getByRole('math', { name: 'x y**2' });
  expect(math.querySelector('msup')?.textContent).toBe('y2');
  expect(container.querySelector('script')).toBeNull();
  expect(container.innerHTML).not.toMatch(/onclick|javascript/);
  const broken = render(<Maths made={{ input: '', mathml: '<math><', text: 'g', where: '' }} />);
  expect(broken.container.textContent).toBe('g');
});

describe('in a session', () => {
  let view: MountedView;
  let kernel: Player;
  let host: HTMLElement;

  async function mount(recording: Recording): Promise<void> {
    host = document.createElement('div');
    document.body.append(host);
    vi.spyOn(Element.prototype, 'getBoundingClientRect').mockReturnValue(
      new DOMRect(0, 0, 1000, 600)
    );
    kernel = new Player(recording);
    view = openView(host, kernel, {});
    await waitFor(() => expect(host.querySelector('[data-layout="done"]')).not.toBeNull());
  }

  afterEach(() => {
    view.unmount();
    host.remove();
  });

  /** The button that opens the values of what arrived at the current node. */
  const values = () =>
    waitFor(() => {
      const button = host.querySelector('[data-array="waiting 0"] button');
      expect(button).not.toBeNull();
      return button as HTMLElement;
    });

  const inspector = () => within(within(host).getByRole('region', { name: 'Inspector' }));

  test('any part of an array is asked for, and copied as numpy', async () => {
    await mount(RECORDINGS.mlp);
    const part: Part = {
      shape: [4, 8, 9],
      dtype: 'float32',
      at: [null],
      blocks: blocks(
        range(16).map(i => [i]),
        [2, 9]
      ),
      text: 'np.array([1.0])  # cut: the first [1] of [288]',
      cut: true
    };
    kernel.part = asked => ({ ...part, at: asked.at.length > 0 ? asked.at : [null] });
    kernel.moveTo(1);
    await waitFor(() => expect(host.querySelector('[data-position="1"]')).not.toBeNull());
    fireEvent.click(await values());
    const index = await inspector().findByRole('spinbutton', { name: /^Index of dimension 0/ });
    const asked = () => kernel.requests.filter(request => request.type === 'get_part');
    expect(asked()).toMatchObject([{ of: { kind: 'waiting', nr: 0 }, at: [], rows: null }]);
    fireEvent.input(index, { target: { value: '3' } });
    await waitFor(() => expect(asked().at(-1)).toMatchObject({ at: [3] }));
    fireEvent.input(index, { target: { value: '4' } }); // There is none.
    expect(asked()).toHaveLength(2);
    const picture = host.querySelector(
      '[data-array="waiting 0"] [role="application"]'
    ) as HTMLElement;
    fireEvent.keyDown(picture, { key: 'End' });
    fireEvent.keyDown(picture, { key: 'Enter' });
    await waitFor(() => expect(asked().at(-1)).toMatchObject({ rows: [30, 32], columns: [0, 9] }));

    const write = vi.fn(() => Promise.resolve());
    vi.stubGlobal('navigator', {
      userAgent: 'jsdom',
      clipboard: { writeText: write }
    });
    fireEvent.click(inspector().getByRole('button', { name: 'Copy as numpy' }));
    expect(write).toHaveBeenCalledWith(part.text);
    expect(await inspector().findByText('Copied the first [1] of [288].')).toBeTruthy();
    vi.unstubAllGlobals();

    kernel.part = () => null; // Another step: it is asked for again.
    kernel.moveTo(2);
    expect(await inspector().findByText('Cannot be shown: it is not kept any more.')).toBeTruthy();
  });

  test('an index that is chosen before the last one is shown keeps that', async () => {
    await mount(RECORDINGS.mlp);
    kernel.part = asked => ({
      shape: [4, 5, 8, 9],
      dtype: 'float32',
      at: asked.at.length > 0 ? asked.at : [null, null],
      blocks: blocks([[1]], [8, 9]),
      text: '',
      cut: false
    });
    kernel.moveTo(1);
    await waitFor(() => expect(host.querySelector('[data-position="1"]')).not.toBeNull());
    fireEvent.click(await values());
    const first = await inspector().findByRole('spinbutton', { name: /^Index of dimension 0/ });
    kernel.delay = null;
    fireEvent.input(first, { target: { value: '3' } });
    const second = inspector().getByRole('spinbutton', { name: /^Index of dimension 1/ });
    fireEvent.input(second, { target: { value: '2' } });
    kernel.delay = 0;
    kernel.flush();
    await waitFor(() =>
      expect(kernel.requests.filter(({ type }) => type === 'get_part').at(-1)).toMatchObject({
        at: [3, 2]
      })
    );
  });

  test('names do not run together', async () => {
    await mount(RECORDINGS.mlp);
    kernel.moveTo(4);
    await waitFor(() => expect(host.querySelector('[data-position="4"]')).not.toBeNull());
    tab(/^Events/);
    await waitFor(() => expect(host.querySelectorAll('[data-event]').length).toBe(4));
    expect(runTogether()).toEqual([]);
    expect(host.querySelector('[data-event="1"]')?.textContent).toMatch(/^2 PowBackward0 \d/);
    tab(/^Engine/);
    await waitFor(() => expect(host.querySelectorAll('.vg-queue li').length).toBeGreaterThan(0));
    expect(runTogether()).toEqual([]);
  });

  /** Texts in which one word is written at once behind another. */
  function runTogether(): readonly string[] {
    const found: string[] = [];
    const named = 'button:not([aria-label]), .vg-queue li, .vg-waiting li, .vg-buffers li';
    for (const element of host.querySelectorAll(named)) {
      const parts = [...element.querySelectorAll('*')]
        .filter(({ children, textContent }) => children.length === 0 && textContent !== '')
        .filter(child => !child.classList.contains('vg-middle-start'))
        .map(({ textContent }) => textContent.trim());
      for (const [i, part] of parts.entries()) {
        const next = parts[i + 1] ?? '';
        if (next !== '' && element.textContent.includes(part + next)) {
          found.push(element.textContent);
        }
      }
    }
    return found;
  }

  function tab(name: RegExp): void {
    fireEvent.click(within(host).getByRole('tab', { name }));
  }

  test('only modes that are not as usual are told', async () => {
    await mount(RECORDINGS.mlp);
    expect(host.querySelector('.vg-modes')).toBeNull();
  });

  test('storages that nothing happened to are not listed', async () => {
    await mount(RECORDINGS.mlp);
    tab(/^Versions/);
    expect(host.querySelector('[data-storage]')).toBeNull();
    expect(within(host).getByText(/^No in-place changes since saving/)).toBeTruthy();
    view.unmount();
    await mount(RECORDINGS.stale);
    kernel.moveTo(0);
    expect(host.querySelectorAll('.vg-timeline.vg-is-stale').length).toBeGreaterThan(0);
  });
});

function range(count: number): number[] {
  return Array.from({ length: count }, (_, i) => i);
}
