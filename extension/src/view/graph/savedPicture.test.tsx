import { expect, test } from 'vitest';

import { fileName, pictureOf } from './savedPicture';

test('a picture has all that it needs in itself, and nothing that only the view needs', () => {
  document.body.innerHTML =
    '<style>.vg-line { stroke: rgb(1, 2, 3); } .vg-gone { display: none; }</style>' +
    '<div style="background-color: rgb(250, 251, 252)"><svg class="vg-canvas" role="tree">' +
    '<g transform="translate(3,4) scale(2)"><path class="vg-line" d="M0,0H9" data-link="1"></path>' +
    '<path class="vg-hit" d="M0,0H8"></path><g class="vg-gone"><text>not seen</text></g>' +
    '<g class="vg-deliveries"><path d="M0,0H7"></path></g><text tabindex="0">Mul&lt;0</text></g>' +
    '</svg></div>';
  const svg = document.querySelector('svg') as SVGSVGElement;
  const before = svg.outerHTML;
  const text = pictureOf(svg, { width: 640, height: 480 }, 'loss & more');
  const made = new DOMParser().parseFromString(text, 'image/svg+xml');
  expect(made.querySelector('parsererror')).toBeNull();
  expect(made.documentElement.getAttribute('viewBox')).toBe('0 0 640 480');
  expect(made.querySelector('title')?.textContent).toBe('loss & more');
  expect(made.querySelector('rect')?.getAttribute('fill')).toBe('rgb(250, 251, 252)');
  expect([...made.querySelectorAll('path')].map(path => path.getAttribute('d'))).toEqual([
    'M0,0H9'
  ]);
  expect(made.querySelector('path')?.getAttribute('stroke')).toBe('rgb(1, 2, 3)');
  expect(made.querySelector('g')?.getAttribute('transform')).toBe('translate(3,4) scale(2)');
  expect(made.querySelector('text')?.textContent).toBe('Mul<0');
  expect(text).not.toMatch(/class=|data-|tabindex|role=/);
  expect(svg.outerHTML).toBe(before);
  document.body.innerHTML = '';
});

test('its file is named after the session', () => {
  expect(fileName('loss, In [4]', 'svg')).toBe('loss-In-4.svg');
  expect(fileName('../..', 'png')).toBe('graph.png');
});
