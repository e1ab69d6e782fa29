import { fireEvent, waitFor, within } from '@testing-library/preact';
import { beforeEach, expect, test } from 'vitest';

import { opened } from '../../../tests/opened';
import { NO_REASON } from '../../../tests/player';
import { named, RECORDINGS } from '../../../tests/recordings';

const { mlp } = RECORDINGS;
const TANH = named(mlp, 'TanhBackward0');
const page = opened();
const place = { file: 'a.py', line: 4, function: 'f', cell: 'In [2]', text: '<b>h = x.log()</b>' };

beforeEach(async () => {
  await page.open(mlp);
  page.kernel.why = {
    ...NO_REASON,
    kind: 'nonfinite-forward',
    heading: 'NaN or Inf in the forward pass',
    story: '`x.log()` made <i>-inf</i>.',
    fix: 'keep `x` positive',
    culprit: place,
    lines: [
      { number: 3, text: 'if True:' },
      { number: 4, text: '    <b>h = x.log()</b>' }
    ],
    mended: '<b>h = x.clamp(min=1e-12).log()</b>',
    chain: [
      { text: 'TanhBackward0', place: null, node: TANH },
      { text: 'AddmmBackward0', place, node: 3 }
    ],
    position: 2,
    check: 'Check it.',
    when: 'round 6 of `for step in range(9)`',
    at: 6,
    cell: 'ab-1'
  };
});

const asked = async (): Promise<void> => {
  fireEvent.click(page.node(TANH));
  fireEvent.keyDown(page.node(TANH), { key: 'w' });
  await waitFor(() => expect(page.region('Why').getByText(/made/)).toBeTruthy());
};

test('a key asks, and the answer is text: lines, the way, and the changed line', async () => {
  await asked();
  const why = page.region('Why');
  expect(why.getByText('NaN or Inf in the forward pass').tagName).toBe('STRONG');
  expect(why.queryByText('nonfinite-forward')).toBeNull();
  expect(why.getByText('x.log()').tagName).toBe('CODE');
  expect(page.host.querySelector('.vg-explained i, .vg-explained b')).toBeNull();
  const blamed = page.host.querySelector('[data-blamed="true"]');
  expect(blamed?.textContent).toBe('▶   4      <b>h = x.log()</b>');
  const lines = within(why.getByLabelText('The fix as a changed line'));
  expect(lines.getByText('+ <b>h = x.clamp(min=1e-12).log()</b>').tagName).toBe('INS');
  const chain = within(why.getByRole('list', { name: 'From the symptom to its cause' }));
  expect(chain.getAllByRole('listitem').map(row => row.textContent)).toEqual([
    expect.stringContaining('symptom'),
    expect.stringContaining('cause')
  ]);
  expect(why.getByText('Check it.')).toBeTruthy();
  expect(why.getByText('for step in range(9)').tagName).toBe('CODE');
  const there = why.getByRole('button', { name: 'Debug there' }); // heard by JupyterLab's plugin
  expect([there.dataset['at'], there.dataset['cell']]).toEqual(['6', 'ab-1']);
  expect(there.classList.contains('vg-there')).toBe(true);
  expect(why.getByText('%%vizgrad debug --at 6')).toBeTruthy();
});

test('the way is marked in the graph, in words too, until the answer is closed', async () => {
  await asked();
  expect(page.node(TANH).dataset['why']).toBe('seen');
  expect(page.node(3).dataset['why']).toBe('cause');
  expect(page.node(3).getAttribute('aria-label')).toContain('the cause');
  fireEvent.click(page.button('Close Why'));
  await waitFor(() => expect(page.node(3).dataset['why']).toBeUndefined());
  expect(within(page.host).queryByRole('region', { name: 'Why' })).toBeNull();
});

test('Show me goes to the step, selects the cause, and says that the answer is older', async () => {
  await asked();
  fireEvent.click(page.button('Show me'));
  await page.at(2);
  expect(page.node(3).getAttribute('aria-selected')).toBe('true');
  await waitFor(() => expect(page.region('Why').getByText(/Asked when 0 nodes/)).toBeTruthy());
  const before = page.kernel.requests.length;
  fireEvent.click(page.button('Ask again'));
  await waitFor(() =>
    expect(page.kernel.requests.slice(before).map(({ type }) => type)).toContain('get_why')
  );
});

test('what is healthy has nothing to show, and marks nothing', async () => {
  page.kernel.why = { ...NO_REASON, story: 'There is nothing that made it.' };
  await asked();
  expect(within(page.host).queryByRole('button', { name: 'Show me' })).toBeNull();
  expect(page.host.querySelector('[data-why]')).toBeNull();
});

test('of a node without anything to explain no Why? is offered until the run moves', async () => {
  page.kernel.why = { ...NO_REASON, node: TANH, story: 'There is nothing that made it.' };
  const offers = (): number => {
    page.region('Inspector');
    return within(page.host).queryAllByRole('button', { name: 'Why?' }).length;
  };
  fireEvent.click(page.node(TANH));
  await waitFor(() => expect(offers()).toBe(1));
  await asked();
  await waitFor(() => expect(offers()).toBe(0));
  fireEvent.click(page.button('Step'));
  await page.at(1);
  await waitFor(() => expect(offers()).toBe(1));
});
