import { expect, test } from 'vitest';

import { piecesOf } from './mathPieces';

/** Each piece as text; signs with how they are spaced. */
function pieces(inner: string): string[] {
  const { documentElement } = new DOMParser().parseFromString(
    `<math><mrow>${inner}</mrow></math>`,
    'application/xml'
  );
  const marks = { prefix: '<', infix: '~', postfix: '>' };
  return piecesOf(documentElement).map(piece =>
    piece
      .map(
        ({ element, form, alone }) =>
          (form ? marks[form] : '') + element.textContent + (alone ? '!' : '')
      )
      .join(' ')
  );
}

const i = (name: string): string => `<mi>${name}</mi>`;
const o = (sign: string): string => `<mo>${sign}</mo>`;
const row = (...parts: string[]): string => `<mrow>${parts.join('')}</mrow>`;

test('behind the equals sign, and behind each argument of a call', () => {
  const call = row(i('f'), row(o('('), i('g'), o(','), i('x'), o('='), i('y'), o(')')));
  expect(pieces(i('d') + o('=') + call)).toEqual(['d ~=', 'f <(! g ~,', 'x ~=', 'y >)!']);
});

test('before a sign between two terms, and not behind one of a single term', () => {
  const sum = row(
    row(o('−'), i('a')),
    o('+'),
    row(i('b'), o('⋅'), row(o('('), row(o('−'), i('c')), o(')')))
  );
  expect(pieces(i('d') + o('=') + sum)).toEqual(['d ~=', '− a', '~+ b', '~⋅ <( − c >)']);
});

test('nowhere in a fraction, nor in brackets that grow with what they hold', () => {
  const fraction = `<mfrac>${row(i('a'), o('+'), i('b'))}${i('c')}</mfrac>`;
  const held = row(o('['), i('x'), o('+'), i('y'), o(']'));
  expect(pieces(fraction + o('⋅') + held)).toEqual(['a+bc', '~⋅ [x+y]']);
});
