import { render } from '@testing-library/preact';
import { expect, test } from 'vitest';

import { RECORDINGS } from '../../../tests/recordings';
import { stored } from '../../../tests/stored';
import { Gradients } from './Gradients';

const on = stored(RECORDINGS.mlp);

test('a gradient that waited when the session was closed is not told to be yet to come', async () => {
  on.open();
  await on.settle();
  const { session } = on.state();
  if (session === null) {
    throw new Error('the recording opens a session');
  }
  const said = (closed: boolean): string =>
    render(<Gradients session={{ ...session, closed }} visit={null} buffers={[null]} complete />)
      .container.textContent;
  expect(said(false)).toBe('Incoming gradientNothing yet.');
  expect(said(true)).toBe('Incoming gradientNot kept: the session is closed.');
});
