import { expect, test } from 'vitest';

import { wordsIn } from './toolWords';

const words = (room: number, fields = {}) => [
  ...wordsIn({
    room,
    buttons: 12,
    progress: 258,
    always: ['Step'],
    names: ['Continue', 'Step back', 'Run to here', 'Add breakpoint'],
    large: false,
    measure: (name: string) => 7.2 * name.length,
    ...fields
  })
];

test('as many names are written as there is room for beside the slider, the best known first', () => {
  expect(words(1280)).toEqual(['Step', 'Continue', 'Step back', 'Run to here', 'Add breakpoint']);
  expect(words(1000).length).toBeGreaterThan(words(850).length);
  expect(words(850)).toEqual(['Step', 'Continue', 'Step back']);
  expect(words(700)).toEqual(['Step']);
});

test('where the slider has a row of its own, the names have all of theirs', () => {
  expect(words(640)).toEqual(['Step', 'Continue', 'Step back']);
  expect(words(400)).toEqual(['Step']);
});

test('large buttons need more', () => {
  const fields = { buttons: 5, always: ['Step', 'Step back'], names: ['Continue'] };
  expect(words(650, { ...fields, large: false })).toContain('Continue');
  expect(words(650, { ...fields, large: true })).not.toContain('Continue');
});
