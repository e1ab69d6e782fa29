import { expect, test } from 'vitest';

import notebook from '../../../tests/fixtures/before_the_house/notebook.json';
import { drawSaved } from './draw';
import { type Bundle, MIME, nextIn, pictureOf, plainText, readSaved, told } from './saved';

const SAVED = {
  session: 's1-ab',
  title: 'loss, In [7]',
  status: 'paused',
  position: 3,
  total: 6,
  view: 'w',
  still: ''
};

function rendered(data: Record<string, unknown>): HTMLElement {
  const node = document.createElement('div');
  drawSaved(node, data);
  return node;
}

test('what is not ours, or is damaged, is not believed', () => {
  expect(readSaved({ [MIME]: SAVED })).toEqual(SAVED);
  for (const value of [
    undefined,
    null,
    'text',
    [],
    { ...SAVED, session: 1 },
    { ...SAVED, position: '3' },
    { ...SAVED, total: 1.5 },
    { ...SAVED, title: 'x'.repeat(2000) }
  ]) {
    expect(readSaved({ [MIME]: value })).toBeNull();
  }
});

test('the state is said in words', () => {
  expect(told(SAVED)).toBe('Saved picture of loss, In [7]: 3 of 6 nodes done.');
  expect(told({ ...SAVED, position: 6, status: 'finished' })).toContain('6 nodes done (finished).');
});

test('a still picture says of which step it is, and which cell went on', () => {
  const still = { ...SAVED, still: 'In [9]' };
  expect(told(still)).toBe('loss, In [7], as of step 3 of 6. In [9] moved the session on.');
  const before: Partial<typeof SAVED> = { ...SAVED };
  delete before.still; // of a notebook that was saved before there were any
  expect(readSaved({ [MIME]: before })).toEqual(SAVED);
});

test('a picture is an image, whatever is in it', () => {
  const svg = '<svg onload="alert(1)"><script>alert(2)</script></svg>';
  const node = rendered({ [MIME]: SAVED, 'image/svg+xml': svg, 'text/plain': 'as <b>text</b>' });
  expect(node.querySelector('script, svg, b')).toBeNull();
  expect(node.querySelector('img')?.src).toBe(pictureOf({ 'image/svg+xml': svg }));
  expect(node.querySelector('img')?.alt).toContain('3 of 6');
  expect(node.querySelector('pre')?.textContent).toBe('as <b>text</b>');
  expect(node.textContent).toContain('Run the cell to step again.');
});

test('lines of a notebook file are put together; without a picture there is the text', () => {
  expect(plainText({ 'text/plain': ['a\n', 'b'] })).toBe('a\nb');
  const node = rendered({ [MIME]: SAVED, 'text/plain': ['5 ', 'nodes'] });
  expect(node.querySelector('img')).toBeNull();
  expect(node.querySelector('pre')?.textContent).toBe('5 nodes');
});

test('what the version before the house saved in a notebook is read', () => {
  const { cells } = notebook as { cells: { outputs: { data?: Bundle }[] }[] };
  const saved = cells
    .flatMap(cell => cell.outputs)
    .map(output => output.data ?? {})
    .filter(data => MIME in data);
  const views = saved.map(readSaved).filter(view => view !== null);
  expect(views.map(told)).toEqual([
    'Saved picture of loss, In [3]: 0 of 7 nodes done.',
    'Saved picture of backward, In [7]: 0 of 7 nodes done.'
  ]);
  for (const data of saved) {
    expect(pictureOf(data)).toMatch(/^data:image\/svg/);
    expect(plainText(data)).toContain('0 of 7 nodes done');
    expect(rendered(data).querySelector('img')).not.toBeNull();
  }
});

test('a tall picture shows what runs next, with what ran before it above', () => {
  const box = '<rect class="body" x="0" y="0" width="9" height="40"/>';
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="1000"><g transform="translate(10 90)">
    <g class="op done" transform="translate(0 20)">${box}</g>
    <g class="leaf current odd" transform="translate(53.1 690.5)">${box}</g></g></svg>`;
  expect(nextIn(svg)).toBeCloseTo(0.8005);
  expect(nextIn(svg.replace(' current', ''))).toBeNull();
  for (const wrong of ['', '<svg', svg.replace('height="1000"', ''), svg.replace('690.5', 'x')]) {
    expect(nextIn(wrong) ?? 0).toBeLessThan(0.2);
  }

  const node = rendered({ [MIME]: SAVED, 'image/svg+xml': svg });
  const [frame, image] = ['.vg-saved-picture', 'img'].map(each => node.querySelector(each));
  Object.defineProperty(frame, 'clientHeight', { value: 600 });
  Object.defineProperty(image, 'clientHeight', { value: 2000 });
  image?.dispatchEvent(new Event('load'));
  expect(frame?.scrollTop).toBeCloseTo(0.8005 * 2000 - 420);
});
