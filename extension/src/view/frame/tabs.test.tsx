import { act, render } from '@testing-library/preact';
import { afterEach, expect, test, vi } from 'vitest';

import { Tabs } from './Tabs';

const NAMES = ['Inspector', 'Saved', 'Engine', 'Watch'];
const parts = NAMES.map(name => ({ name, draw: () => <p>{name}</p> }));

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

/** Elements have the sizes that `sized` gives; what it returns tells those who observe them that they changed. */
function measured(sized: (element: Element) => number): (changed: string) => void {
  vi.spyOn(Element.prototype, 'getBoundingClientRect').mockImplementation(function (this: Element) {
    return new DOMRect(0, 0, sized(this), 27);
  });
  const observers: { seen: Element[]; hear: () => void }[] = [];
  vi.stubGlobal(
    'ResizeObserver',
    class {
      private readonly own: { seen: Element[]; hear: () => void };
      constructor(hear: () => void) {
        this.own = { seen: [], hear };
        observers.push(this.own);
      }
      observe(element: Element): void {
        this.own.seen.push(element);
      }
      disconnect(): void {
        this.own.seen = [];
      }
    }
  );
  return changed => {
    void act(() =>
      observers
        .filter(({ seen }) => seen.some(each => each.matches(changed)))
        .forEach(o => o.hear())
    );
  };
}

test('tabs are in the menu as soon as a note beside them takes their room', () => {
  let room = 400;
  const resize = measured(element => (element.matches('.vg-tab') ? 100 : room));
  const { queryByRole } = render(<Tabs parts={parts} chosen="Watch" choose={() => undefined} />);
  expect(queryByRole('button', { name: 'More parts' })).toBeNull();
  room = 350; // "2 watched"
  resize('.vg-tabs');
  expect(queryByRole('button', { name: 'More parts' })).not.toBeNull();
  room = 400;
  resize('.vg-tabs');
  expect(queryByRole('button', { name: 'More parts' })).toBeNull();
});

test('and as soon as their type is larger', () => {
  let wide = 100;
  const resize = measured(element => (element.matches('.vg-tab') ? wide : 400));
  const { queryByRole } = render(
    <Tabs parts={parts} chosen="Inspector" choose={() => undefined} />
  );
  expect(queryByRole('button', { name: 'More parts' })).toBeNull();
  wide = 140;
  resize('.vg-tab');
  expect(queryByRole('button', { name: 'More parts' })).not.toBeNull();
});

test('a row that is drawn larger has room for a note only if it has its pixels', () => {
  measured(() => 800);
  const noted = [{ name: 'Memory', note: () => '8 kB', draw: () => <p>Memory</p> }];
  const inRow = (zoom: number): boolean => {
    vi.spyOn(HTMLElement.prototype, 'offsetWidth', 'get').mockReturnValue(800 / zoom);
    const { container, unmount } = render(
      <Tabs parts={noted} chosen="Memory" choose={() => undefined} />
    );
    const found = container.querySelector('.vg-tabs-row .vg-region-note') !== null;
    unmount();
    return found;
  };
  expect(inRow(1)).toBe(true);
  expect(inRow(1.4)).toBe(false);
});
