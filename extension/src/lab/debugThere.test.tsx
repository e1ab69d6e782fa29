import { expect, test } from 'vitest';

import { debugCell, thereOf } from './debugThere';

const OUTPUT = `<div class="vizgrad-why"><section><p>
  <button type="button" data-at="3" data-cell="ab-1"><b>Debug there</b></button></p></section></div>
  <button data-at="4">of others</button>
  <button class="vg-button vg-there" data-at="5" data-cell="ab-1">Debug there</button>`;

test('a click on the button of a finding says which backward of which cell', () => {
  document.body.innerHTML = OUTPUT;
  const [own, other, ofView] = document.querySelectorAll('button');
  expect(thereOf(own ?? null)).toEqual({ at: 3, cell: 'ab-1' });
  expect(thereOf(own?.firstElementChild ?? null)).toEqual({ at: 3, cell: 'ab-1' });
  expect(thereOf(other ?? null)).toBeNull();
  expect(thereOf(ofView ?? null)).toEqual({ at: 5, cell: 'ab-1' });
  expect(thereOf(document.body)).toBeNull();
  expect(thereOf(null)).toBeNull();
  own?.removeAttribute('data-cell');
  expect(thereOf(own ?? null)).toEqual({ at: 3, cell: '' });
  for (const wrong of ['0', '-1', 'x', '3; import os', '']) {
    own?.setAttribute('data-at', wrong);
    expect(thereOf(own ?? null)).toBeNull();
  }
});

test('the cell stops before that backward, in place of the watch', () => {
  expect(debugCell('train()\n', 3)).toBe('%%vizgrad debug --at 3\ntrain()\n');
  expect(debugCell('%%vizgrad watch w\ntrain()', 1)).toBe('%%vizgrad debug --at 1\ntrain()');
  expect(debugCell('\n%%vizgrad debug --when "loss > 1"\n\ntrain()', 12)).toBe(
    '%%vizgrad debug --at 12\n\ntrain()'
  );
  expect(debugCell('%%time\ntrain()', 2)).toBe('%%vizgrad debug --at 2\n%%time\ntrain()');
  expect(debugCell('%%vizgrad watch', 2)).toBe('%%vizgrad debug --at 2\n');
});
