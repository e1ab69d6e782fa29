import { render } from '@testing-library/preact';
import { expect, test } from 'vitest';

import type { Branch } from '../../protocol';
import type { DebuggerState, DebuggerStore, SessionState } from '../../store';
import type { Commands } from '../commands';
import { CommandsContext, StoreContext } from '../hooks';
import { Edited } from './Edited';

const edit = { position: 3, text: 'gradient of MulBackward0 = g * 100', node: 3 };
const branch = (fields: Partial<Branch>): Branch => ({
  name: 'original',
  current: true,
  parent: '',
  left: 0,
  position: 3,
  recorded: 3,
  edits: [],
  trace: false,
  ...fields
});

/** Its buttons, and whether it is said that it cannot be undone. */
function shown(branches: readonly Branch[], position: number, oneWay: boolean) {
  const run = { branches, position, recorded: 4, one_way: oneWay };
  const session = { run: { ...run, recorded: position }, closed: false } as SessionState;
  const state = { port: { state: 'open' } } as DebuggerState;
  const { container } = render(
    <StoreContext.Provider value={{} as unknown as DebuggerStore}>
      <CommandsContext.Provider value={{ has: () => true } as unknown as Commands}>
        <Edited state={state} session={session} node={3} />
      </CommandsContext.Provider>
    </StoreContext.Provider>
  );
  const buttons = [...container.querySelectorAll('button')].map(each => each.textContent);
  return [buttons, container.textContent.includes('It cannot be undone')];
}

test('a change is undone where the run stands; later it is said how it is left, or why not', () => {
  const torch = [branch({ edits: [edit] })];
  expect(shown(torch, 3, true)).toEqual([['Undo'], false]);
  expect(shown(torch, 4, true)).toEqual([[], true]);
  const own = [
    branch({ current: false }),
    branch({ name: 'branch 1', parent: 'original', left: 3, edits: [edit] })
  ];
  expect(shown(own, 3, false)).toEqual([['Undo'], false]);
  expect(shown(own, 4, false)).toEqual([['Go back to original'], false]);
});

test('a change that a branch has from its parent is not left by going back to that', () => {
  const both = [
    branch({ current: false, edits: [edit] }),
    branch({ name: 'branch 2', parent: 'original', left: 4, edits: [edit] })
  ];
  expect(shown(both, 4, false)).toEqual([[], false]);
});
