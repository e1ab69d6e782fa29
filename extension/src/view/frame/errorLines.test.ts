import { expect, test } from 'vitest';

import { errorLines } from './errorLines';

const STALE = `RuntimeError: one of the variables needed for gradient computation has been modified by an \
inplace operation: [vizgrad.FloatTensor [2]], which is output 0 of AddBackward0, is at version 1.
MulBackward0, recorded at In [3], line 4, saved \`self\` for its backward; add_ changed it in place.
  where: In [3], line 5: y.add_(1)
  fix: write out of place there, or clone before the write
while running MulBackward0, recorded at In [3], line 4`;

test('an explained error: the story, the place, the fix; the rest once, below', () => {
  const { what, where, fix, details } = errorLines(STALE);
  expect(what).toMatch(/^MulBackward0, recorded at .* changed it in place\.$/);
  expect(where).toBe('In [3], line 5: y.add_(1)');
  expect(fix).toBe('write out of place there, or clone before the write');
  expect(details.split('\n')).toEqual([STALE.split('\n')[0], STALE.split('\n')[4]]);
});

test('without a story the error says itself what happened', () => {
  const text = "RuntimeError: Function 'SqrtBackward0' returned nan.\n  where: a.py:3\n  fix: look";
  expect(errorLines(text)).toEqual({
    what: "RuntimeError: Function 'SqrtBackward0' returned nan.",
    where: 'a.py:3',
    fix: 'look',
    details: ''
  });
  expect(errorLines('ValueError: no')).toEqual({
    what: 'ValueError: no',
    where: '',
    fix: '',
    details: ''
  });
});

test('what the code of the user raised is said in its own words', () => {
  const text =
    'ValueError: no\nwhile running RBackward, recorded at In [3], line 4\n  where: In [2], line 8';
  const { what, where, fix, details } = errorLines(text);
  expect([what, where, fix]).toEqual(['ValueError: no', 'In [2], line 8', '']);
  expect(details).toBe('while running RBackward, recorded at In [3], line 4');
});

test('a long one is cut to its first sentence, and stands whole below', () => {
  const long = `RuntimeError: something went wrong while running it. ${'More. '.repeat(60)}end`;
  const { what, details } = errorLines(long);
  expect(what).toBe('RuntimeError: something went wrong while running it');
  expect(details).toBe(long);
  expect(errorLines(`A ${'x'.repeat(500)}`).what).toHaveLength(160);
});
