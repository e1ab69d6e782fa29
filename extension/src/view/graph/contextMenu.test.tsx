import { render } from '@testing-library/preact';
import { afterEach, expect, test, vi } from 'vitest';

import { Menu } from './ContextMenu';

afterEach(() => {
  vi.restoreAllMocks();
});

/** Where a menu of 280 by 200 pixels of the page is, in its own pixels, of which one is `zoom` of the page. */
function placed(x: number, y: number, zoom: number): { left: string; top: string } {
  vi.spyOn(Element.prototype, 'getBoundingClientRect').mockImplementation(function (this: Element) {
    const [width, height] = this.classList.contains('vg-menu') ? [280, 200] : [800, 600];
    return new DOMRect(0, 0, width, height);
  });
  vi.spyOn(HTMLElement.prototype, 'offsetWidth', 'get').mockReturnValue(280 / zoom);
  const { getByRole, unmount } = render(
    <Menu title="More" x={x} y={y} close={() => undefined}>
      <button role="menuitem">Help</button>
    </Menu>
  );
  const { left, top } = getByRole('menu').style;
  unmount();
  return { left, top };
}

test('a menu is where it is opened, and within the view', () => {
  expect(placed(100, 50, 1)).toEqual({ left: '100px', top: '50px' });
  expect(placed(790, 590, 1)).toEqual({ left: '518px', top: '398px' });
});

test('so is one in a row that is drawn larger', () => {
  expect(placed(140, 70, 1.4)).toEqual({ left: '100px', top: '50px' });
  const { left } = placed(790, 70, 1.4);
  expect(parseFloat(left) * 1.4).toBeCloseTo(518, 3);
});
