import { expect, test } from 'vitest';

import {
  altText,
  COURSE_MIME,
  keptAt,
  layerText,
  markedSteps,
  readCourse,
  shareOf,
  stepAt,
  stepText
} from './course';
import type { Course, Layer } from './course';

const COURSE: Course = {
  cell: 'a',
  width: 900,
  height: 200,
  plots: [
    [150, 190, 34],
    [406, 190, 34],
    [662, 190, 34]
  ],
  optimizers: [
    {
      title: 'SGD',
      total: 9,
      steps: [1, 3, 5, 9],
      backwards: [1, 3, 5, 9],
      losses: [2, 1.23456, 'NaN', null],
      layers: [
        {
          name: 'net.0',
          y: 60,
          all: 60,
          columns: [
            [1, 2, 'NaN', null],
            [3, 3, 3, 3],
            [0.1, 0, 0, 'Inf']
          ]
        }
      ]
    }
  ],
  marks: [
    { backward: 4, text: 'NaN in the backward pass' },
    { backward: 2, text: 'Gradients not zeroed' }
  ]
};
const [SGD] = COURSE.optimizers as [Course['optimizers'][number]];

test('the picture is named by what it shows and what was found, not by its numbers', () => {
  expect(altText(COURSE)).toBe(
    'Curves of gradient, weight, update / weight: SGD, 9 steps, 1 layer. ' +
      'backward 4: NaN in the backward pass. backward 2: Gradients not zeroed'
  );
  const many = Array.from({ length: 5 }, (_, i) => ({ backward: i, text: 'NaN' }));
  expect(altText({ ...COURSE, marks: many })).toMatch(/backward 2: NaN. 2 more findings$/);
});

test('what is no course, or is damaged, is not believed', () => {
  expect(readCourse({ [COURSE_MIME]: COURSE })).toEqual(COURSE);
  const { all, ...layer } = SGD.layers[0] as Layer;
  const before = { ...COURSE, optimizers: [{ ...SGD, layers: [layer] }] }; // a saved notebook's
  expect(readCourse({ [COURSE_MIME]: before })).toEqual(COURSE);
  expect(all).toBe(layer.y);
  for (const value of [
    undefined,
    [],
    { ...COURSE, width: '900' },
    { ...COURSE, all: { svg: 1, height: 9 } },
    { ...COURSE, optimizers: [{ ...SGD, layers: [{ ...layer, y: null }] }] },
    { ...COURSE, plots: [] },
    { ...COURSE, marks: [{ backward: 1 }] },
    { ...COURSE, kept: { block: 'kept-1-a', backwards: ['1'] } },
    { ...COURSE, optimizers: [{ ...SGD, losses: [1] }] },
    { ...COURSE, optimizers: [{ ...SGD, steps: [] }] },
    {
      ...COURSE,
      optimizers: [{ ...SGD, layers: [{ name: 'a', y: 1, columns: [['x', 1, 1, 1]] }] }]
    }
  ]) {
    expect(readCourse({ [COURSE_MIME]: value })).toBeNull();
  }
});

test('a place in a plot is the nearest step', () => {
  expect(SGD.steps.map((_, at) => shareOf(SGD, at))).toEqual([0, 0.25, 0.5, 1]);
  expect([-1, 0.1, 0.2, 0.7, 0.8, 2].map(share => stepAt(SGD, share))).toEqual([0, 0, 1, 2, 3, 3]);
});

test('a step says its backward, its loss, and what was found since the one before', () => {
  expect(stepText(COURSE, SGD, 1)).toBe(
    'step 3 of 9, backward 3, loss 1.23, found: Gradients not zeroed'
  );
  expect(stepText(COURSE, SGD, 3)).toBe('step 9 of 9, backward 9');
  expect(markedSteps(COURSE, SGD)).toEqual([1, 2]);
  const [layer] = SGD.layers;
  expect(layer && layerText(layer, 2)).toBe('net.0: gradient NaN, weight 3, update / weight 0');
  expect(layer && layerText(layer, 3)).toContain('gradient unknown');
});

test('a step opens its backward, else the last that was kept since the step before', () => {
  const opened = (...backwards: number[]): (number | null)[] => {
    const course = { ...COURSE, kept: { block: 'kept-1-a', backwards } };
    expect(readCourse({ [COURSE_MIME]: course })).toEqual(course);
    return SGD.steps.map((_, at) => keptAt(course, SGD, at));
  };
  expect(opened()).toEqual([null, null, null, null]);
  expect(opened(3, 7, 8)).toEqual([null, 3, null, 8]);
  expect(opened(1, 2, 3, 9)).toEqual([1, 3, null, 9]);
  expect(opened(12)).toEqual([null, null, null, 12]);
  expect(keptAt(COURSE, SGD, 0)).toBeNull();
});
