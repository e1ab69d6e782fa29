import { render } from '@testing-library/preact';
import { expect, test } from 'vitest';

import type { DebuggerState, DebuggerStore, SessionState } from '../../store';
import type { Commands } from '../commands';
import { CommandsContext, StoreContext } from '../hooks';
import { WhatIf } from './WhatIf';

/** The panel of node 3: its text and its buttons. `order`: the step at which it ran, null if it waits. */
function shown(order: number | null, oneWay: boolean) {
  const run = {
    current: 3,
    position: 4,
    recorded: 4,
    one_way: oneWay,
    can_change: true,
    within: null
  };
  const fold = { knows: () => true, node: () => ({ order }), waiting: [] };
  const names = { of: () => ({ name: 'MulBackward0', label: '' }) };
  const session = { run, fold, names, closed: false } as unknown as SessionState;
  const state = { port: { state: 'open' }, refused: null } as unknown as DebuggerState;
  const { container } = render(
    <StoreContext.Provider value={{} as unknown as DebuggerStore}>
      <CommandsContext.Provider value={{ has: () => true } as unknown as Commands}>
        <WhatIf state={state} session={session} node={3} visit={null} />
      </CommandsContext.Provider>
    </StoreContext.Provider>
  );
  return {
    text: container.textContent,
    buttons: [...container.querySelectorAll('button')].map(each => each.textContent)
  };
}

test('a node that has run is gone back to, but not on PyTorch, where it cannot run again', () => {
  expect(shown(2, false).buttons).toEqual(['Go back to before it']);
  const once = shown(2, true);
  expect(once.buttons).toEqual([]);
  expect(once.text).toContain('run the cell again');
});

test("beside Apply PyTorch's one chance is told", () => {
  expect(shown(null, true).text).toContain('can be undone until a node has run');
  expect(shown(null, false).text).not.toContain('only once');
});
