import { render } from '@testing-library/preact';
import { describe, expect, test } from 'vitest';

import { Sentence, unquoted } from './Sentence';

const drawn = (text: string): string => render(<Sentence text={text} />).container.innerHTML;
const code = (text: string): string => `<code class="vg-code-word">${text}</code>`;

describe('what is between backticks is code', () => {
  test.each([
    ['saved `self` for it', `saved ${code('self')} for it`],
    ['`x = x + y` for `x += y`', `${code('x = x + y')} for ${code('x += y')}`],
    ['run ``vg.debug(loss)``.', `run ${code('vg.debug(loss)')}.`],
    ['nothing to see', 'nothing to see'],
    ['', '']
  ])('%s', (text, html) => {
    expect(drawn(text)).toBe(html);
    expect(render(<Sentence text={text} />).container.textContent).toBe(unquoted(text));
  });
});

test('one that is never closed, or on another line, is a character like others', () => {
  expect(drawn('a ` b')).toBe('a ` b');
  expect(drawn('a ` b\nc ` d')).toBe('a ` b\nc ` d');
  expect(unquoted('a ` b\nc ` d')).toBe('a ` b\nc ` d');
});

test('names are text, also within code', () => {
  const { container } = render(<Sentence text="saved `<img src=x>` <b>" />);
  expect(container.textContent).toBe('saved <img src=x> <b>');
  expect(container.querySelectorAll('img, b')).toHaveLength(0);
});
