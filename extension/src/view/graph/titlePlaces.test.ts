import { expect, test } from 'vitest';

import type { DrawnBox } from '../../protocol';

import { box, drawing, frame, group } from '../../../tests/drawings';
import { titlePlaces } from './titlePlaces';
import { pictureOf } from './picture';
import { TextMetrics } from './text';

const folded = (id: number, x: number, y: number) =>
  box(`g${id}`, { kind: 'group', group: id, title: `layer ${id}`, x, y, width: 180, height: 60 });

const picture = pictureOf(
  drawing({
    boxes: [folded(5, 100, 100), folded(6, 100, 180), folded(7, 100, 2000), box('n1')],
    frames: [
      frame(1, { width: 2000, height: 4000 }),
      frame(2, { parent: 0, x: 100, y: 1000, width: 300, height: 300 }),
      frame(3, { parent: 0, x: 100, y: 20, width: 300, height: 40 })
    ],
    groups: [group(1, 0, 9), group(2, 0, 4), group(3, 4, 8)]
  }),
  new TextMetrics(text => 6 * text.length)
);
const all = { x: 0, y: 0, width: 2000, height: 4000 };
const shown = (scale: number, within = all) =>
  titlePlaces(picture, within, scale).map(({ text }) => text);

test('a title is whole beside its frame where nothing is, and the screen does not end', () => {
  const title = 'Sequential / Sequential · 6 equal blocks';
  const framed = (boxes: DrawnBox[]) =>
    pictureOf(
      drawing({ boxes, frames: [frame(1, { width: 500 })], groups: [group(1, 0, 9, { title })] }),
      picture.metrics
    );
  const [whole] = titlePlaces(framed([]), all, 3);
  expect(whole).toMatchObject({ text: title, x: 500 + 12 });
  const [cut] = titlePlaces(framed([]), all, 3, { ...all, width: 900 });
  expect(cut).toMatchObject({ x: 18, text: expect.stringContaining('…') as string });
  const [within] = titlePlaces(framed([folded(5, 600, 0)]), all, 3);
  expect(within?.x).toBe(18);
});

test('the title of a frame goes along its upper edge where it would lie over a box', () => {
  const framed = (...boxes: DrawnBox[]) =>
    titlePlaces(
      pictureOf(
        drawing({ boxes, frames: [frame(1, { width: 900 })], groups: [group(1, 0, 9)] }),
        picture.metrics
      ),
      all,
      3
    )[0];
  expect(framed(folded(5, 300, 30))?.x).toBe(18);
  expect(framed(folded(5, 100, 30))?.x).toBe(100 + 180 + 12);
  expect(framed(folded(5, 100, 30), folded(6, 350, 30))?.x).toBe(350 + 180 + 12);
  expect(framed(folded(5, 100, 90))?.x).toBe(18); // far below it
});

test('the mark of a result that is too low for its word has it beside it', () => {
  const pill = box('r', { kind: 'result', width: 60, height: 20 });
  const result = pictureOf(drawing({ boxes: [pill] }), picture.metrics);
  expect(titlePlaces(result, all, 1)).toEqual([]);
  expect(titlePlaces(result, all, 2)).toMatchObject([{ text: 'result', x: 60 + 8 }]);
});

test('titles keep their size on the screen, and none covers another', () => {
  expect(shown(1)).toEqual(['group 1', 'group 2', 'group 3', 'layer 5', 'layer 6', 'layer 7']);
  expect(titlePlaces(picture, all, 5)[0]).toMatchObject({ size: 60, y: 66, x: 30 });
  // Two layers beside each other are too close, and a frame is too low.
  expect(shown(8)).toEqual(['group 1', 'group 2', 'layer 6', 'layer 7']);
});

test('a title that finds no room on a box or in a narrow frame stands beside it', () => {
  const [, second, layer] = titlePlaces(picture, all, 8);
  expect(second).toMatchObject({ text: 'group 2', x: 400 + 32 });
  expect(layer).toMatchObject({ text: 'layer 6', x: 280 + 32 });
  // On a box it stands beside the sign of the state, where there is room for both.
  const left = (scale: number) =>
    titlePlaces(picture, all, scale).find(({ key }) => key === 'g5')?.x;
  expect(left(1)).toBeCloseTo(100 + 6 + 14 * 2.2 + 3);
  expect(left(3)).toBe(280 + 12); // never over the sign
});

test('what is off the screen is not named', () => {
  expect(shown(1, { x: 0, y: 1900, width: 500, height: 500 })).toEqual(['group 1', 'layer 7']);
});
