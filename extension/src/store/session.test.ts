import { describe, expect, test } from 'vitest';

import { CONVERSATIONS } from '../../tests/recordings';
import type { Turn } from '../../tests/recordings';
import { shownIn, toldIn } from '../../tests/standings';
import type { Folding, Shown, Update } from '../protocol';
import { DoesNotFollow } from './fold';
import { fromShown, withUpdate } from './session';
import type { SessionState } from './session';

function updates({ told }: Turn): readonly Update[] {
  return told.flatMap(message => (message.type === 'updated' ? [message.update] : []));
}

/** What was drawn anew because the view asked so. */
function drawnIn({ told }: Turn): Shown | undefined {
  return told.find(message => message.type === 'shown');
}

/** Of a closed one no other position can be gone to. */
function closing(state: SessionState, shown: object): object {
  return state.closed ? { ...shown, earliest: 0, recorded: 0 } : shown;
}

describe.each(Object.entries(CONVERSATIONS))('the conversation %s', (_, turns) => {
  test('leads to where the session stands, turn by turn', () => {
    let state: SessionState | null = null;
    let folding: Folding = { opened: [], closed: [], cells: [], near: null };
    let folds = 0;
    for (const turn of turns) {
      const drawn = drawnIn(turn);
      if (drawn) {
        folding = turn.asked?.folding ?? folding;
        state = fromShown(drawn, folding, state);
      }
      if (state === null) {
        throw new Error('a conversation begins with a drawing');
      }
      for (const update of updates(turn)) {
        try {
          state = withUpdate(state, update);
          folds++;
        } catch (error) {
          expect(error).toBeInstanceOf(DoesNotFollow);
          state = fromShown(turn.shown, folding, state);
        }
      }
      const { standing } = turn.shown;
      const about = JSON.stringify(turn.asked);
      expect(closing(state, shownIn(state, standing)), about).toEqual(
        closing(state, toldIn(state, standing))
      );
      expect(state.revision).toBe(turn.shown.revision);
    }
    expect(folds).toBeGreaterThan(2);
  });

  test('only what was too much to be told is looked at anew', () => {
    let state: SessionState | null = null;
    for (const turn of turns) {
      const drawn = drawnIn(turn);
      state = drawn ? fromShown(drawn, turn.asked?.folding ?? NONE, state) : state;
      for (const update of updates(turn)) {
        const before: SessionState = state as SessionState;
        if (update.jumped) {
          expect(() => withUpdate(before, update)).toThrow(DoesNotFollow);
          state = fromShown(turn.shown, NONE, before);
        } else {
          state = withUpdate(before, update);
        }
      }
    }
  });
});

const NONE: Folding = { opened: [], closed: [], cells: [], near: null };
