import { expect, test } from 'vitest';

import { keptOf } from './openKept';

test('a click on the button of a point says which backward that is kept', () => {
  document.body.innerHTML = `<button class="vg-course-open" data-session="kept-3-0f1e2d3c:37"><b>Open</b></button>
    <button data-session="kept-3-0f1e2d3c:38">of others</button>`;
  const [own, other] = document.querySelectorAll('button');
  const found = { session: 'kept-3-0f1e2d3c:37', backward: 37 };
  expect(keptOf(own ?? null)).toEqual(found);
  expect(keptOf(own?.firstElementChild ?? null)).toEqual(found);
  expect(keptOf(other ?? null)).toBeNull();
  expect(keptOf(document.body)).toBeNull();
  expect(keptOf(null)).toBeNull();
  for (const wrong of ['s1-0f1e', 'kept-3-0f1e:0', 'kept-3-0f1e:x', 'kept-3-0f1e:1 s1', '']) {
    own?.setAttribute('data-session', wrong);
    expect(keptOf(own ?? null)).toBeNull();
  }
});
