import { expect, test } from 'vitest';

import { box, group } from '../../../tests/drawings';
import { TextMetrics } from './text';
import { fitTitle, shortForms, wholeTitle } from './titleForms';

const metrics = new TextMetrics(text => 6 * text.length);

test.each([
  [
    'for (i, block) in enumerate(self.h) × 12',
    ['for … in enumerate(self.h) × 12', '… in enumerate(self.h) × 12']
  ],
  [
    'for block in self.transformer.h',
    ['for … in self.transformer.h', '… in self.transformer.h', '… in …transformer.h', '… in …h']
  ],
  ['attention: MultiheadAttention', ['attention: Multihead…', 'attention']],
  [
    'head: NNHead / 0: GPTBlock / fc: Linear',
    ['head: NNHead / … / fc: Linear', '… / fc: Linear', '… / fc']
  ],
  ['tagger.gru.weight_hh_l0', ['…gru.weight_hh_l0', '…weight_hh_l0', 'weight_hh_l0']],
  ['Linear · 6 equal blocks', []]
])('what says most of %j stays where room is less', (title, forms) => {
  expect(shortForms(title)).toEqual(forms);
  for (const form of [title, ...forms]) {
    expect(fitTitle(metrics, title, 6 * form.length, 'title')).toBe(form);
  }
});

test('a title without a form that is short enough loses its middle', () => {
  expect(fitTitle(metrics, 'layer normalisation', 54, 'title')).toBe('laye…tion');
  expect(fitTitle(metrics, 'for block in self.h × 12', 66, 'title')).toBe('… in … × 12');
});

test('what is read out and in the tip is whole', () => {
  const title = 'for (layer, state) in zip(self.layers, self.states)';
  const cut = box('g1', { kind: 'group', title: 'for … in zip(self.layers, self.states) × 3' });
  const loop = group(1, 0, 9, { title, kind: 'loop', cells: 3 });
  expect(wholeTitle(cut, loop)).toBe(`${title} × 3`);
  expect(wholeTitle({ ...cut, title: 'for x in xs × 3' }, loop)).toBe('for x in xs × 3');
  expect(wholeTitle({ ...cut, kind: 'cells', title: '1 … 3 of 9' }, loop)).toBe('1 … 3 of 9');
});
