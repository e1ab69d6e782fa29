import { fireEvent, render } from '@testing-library/preact';
import { expect, test } from 'vitest';

import { rove } from './roving';

function shown(along: 'row' | 'column') {
  const went: (number | null)[] = [];
  const { container } = render(
    <div onKeyDown={event => went.push(rove(event, 'button', along))}>
      {['a', 'b', 'c'].map(name => (
        <button key={name}>{name}</button>
      ))}
    </div>
  );
  const press = (key: string, more = {}): string => {
    const active = document.activeElement;
    const at = active && container.contains(active) ? active : container.firstElementChild;
    fireEvent.keyDown(at as Element, { key, ...more });
    return document.activeElement?.textContent ?? '';
  };
  return { press, went };
}

test('arrows go round, Home and End to the ends', () => {
  const { press, went } = shown('row');
  const keys = ['ArrowRight', 'ArrowRight', 'ArrowLeft', 'ArrowLeft', 'End', 'ArrowRight', 'Home'];
  expect(keys.map(key => press(key))).toEqual(['a', 'b', 'a', 'c', 'c', 'a', 'a']);
  expect(went).toEqual([0, 1, 0, 2, 2, 0, 0]);
});

test('other keys, those of the other direction and those with Ctrl are left alone', () => {
  const { press, went } = shown('column');
  press('ArrowDown');
  press('ArrowRight');
  press('x');
  press('ArrowDown', { ctrlKey: true });
  expect(went).toEqual([0, null, null, null]);
  expect(document.activeElement?.textContent).toBe('a');
});
