import { expect, test } from 'vitest';

import { goneText, keptOf, withdraw } from './openKept';

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

test('instead of a button that would open nothing it is said why, and what works has the focus', () => {
  document.body.innerHTML = `<div><p><button class="vg-course-open">Open backward 37</button>
    <span role="status"></span></p><p><button class="vg-course-there">Make the cell</button></p></div>`;
  const [open, there] = [...document.querySelectorAll('button')];
  if (!open || !there) {
    throw new Error('no buttons');
  }
  open.focus();
  withdraw(open, 37, 'dropped');
  expect(document.querySelector('.vg-course-open')).toBeNull();
  expect(document.body.textContent).toContain('Backward 37 is not kept any more.');
  expect(document.activeElement).toBe(there);
});

test('after a restart it is said what to do: to import vizgrad would bring nothing back', () => {
  expect(goneText(37)).toBe(
    'Backward 37 is gone: the kernel was restarted. Run its cell again with `%%vizgrad debug --at 37`.'
  );
});
