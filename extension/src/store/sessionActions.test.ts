import { beforeEach, describe, expect, test } from 'vitest';

import { RECORDINGS } from '../../tests/recordings';
import { stored } from '../../tests/stored';
import type { Request, Unnumbered } from '../protocol';
import { Observable } from './observable';
import { RequestQueue } from './requestQueue';
import { enqueue, SessionActions } from './sessionActions';
import type { INITIAL_STATE } from './state';

describe('the moves that wait', () => {
  test('steps add up, and steps there and back are none', () => {
    const two = enqueue(enqueue([], { kind: 'steps', count: 1 }), { kind: 'steps', count: 1 });
    expect(two).toEqual([{ kind: 'steps', count: 2 }]);
    expect(enqueue(two, { kind: 'steps', count: -2 })).toEqual([]);
  });

  test('a new place to be replaces what was queued; steps from there come after', () => {
    const queue = enqueue([{ kind: 'steps', count: 3 }], { kind: 'seek', position: 5 });
    expect(queue).toEqual([{ kind: 'seek', position: 5 }]);
    expect(enqueue(queue, { kind: 'steps', count: -1 })).toEqual([
      { kind: 'seek', position: 5 },
      { kind: 'steps', count: -1 }
    ]);
  });

  test('stages add up; of other small steps that wait one is enough', () => {
    const stages = enqueue([{ kind: 'steps', count: 1 }], { kind: 'stages', count: 1 });
    expect(enqueue(stages, { kind: 'stages', count: 2 })).toEqual([
      { kind: 'steps', count: 1 },
      { kind: 'stages', count: 3 }
    ]);
    const into = enqueue(stages, { kind: 'step_in' });
    expect(enqueue(into, { kind: 'step_in' })).toEqual(into);
    expect(enqueue(into, { kind: 'restart' })).toEqual([{ kind: 'restart' }]);
  });
});

describe('what the user asks for', () => {
  const on = stored(RECORDINGS.mlp);
  let sent: Request[];
  let selected: number[];
  let requests: RequestQueue;
  let actions: SessionActions;
  let state: Observable<typeof INITIAL_STATE>;
  let leaving: boolean;
  /** What was sent since the last call, without its numbers. */
  const newly = (): Unnumbered[] =>
    sent.splice(0).map(({ request, ...rest }) => {
      expect(request).toBeGreaterThan(0);
      return rest;
    });
  const answer = (): void => {
    const request = sent.at(-1)?.request;
    requests.receive({ type: 'done', request, session: 's1', revision: 1 });
  };

  beforeEach(async () => {
    on.open();
    await on.settle();
    [sent, selected] = [[], []];
    state = new Observable(on.state(), callback => callback());
    const port = {
      send: (request: Request) => sent.push(request),
      onMessage: () => () => undefined
    };
    requests = new RequestQueue(
      port,
      () => undefined,
      () => undefined
    );
    leaving = false;
    actions = new SessionActions(
      state,
      requests,
      node => selected.push(node),
      () => leaving
    );
  });

  test('is one request about the session that is shown', () => {
    actions.addBreakpoint('line', '12', { condition: 'norm > 1', hits: 2, log: 'loss' });
    actions.changeGradient(3, 'zeros');
    actions.switchBranch('b');
    actions.finishBranch('original');
    expect(newly()).toEqual([
      {
        type: 'add_breakpoint',
        session: 's1',
        kind: 'line',
        text: '12',
        condition: 'norm > 1',
        hits: 2,
        log: 'loss'
      },
      { type: 'set_grad', session: 's1', node: 3, value: 'zeros', slot: 0 },
      { type: 'switch_branch', session: 's1', name: 'b' },
      { type: 'finish_branch', session: 's1', name: 'original' }
    ]);
  });

  test('is nothing where no session is shown, or a closed one', () => {
    const { session } = state.value;
    state.patch({ session: session && { ...session, closed: true } });
    actions.step();
    actions.openSecond();
    state.patch({ session: null });
    actions.step();
    actions.stop();
    expect(newly()).toEqual([]);
  });

  test('is one move at a time; those that come meanwhile are added up', () => {
    actions.step();
    actions.step();
    actions.step(3);
    answer();
    expect(newly()).toEqual([{ type: 'step', session: 's1', count: 1 }]);
    actions.nextMove();
    expect(newly()).toEqual([{ type: 'step', session: 's1', count: 4 }]);
  });

  test('a move waits for the session that the user chose; places in the one shown are ignored', () => {
    const { session } = state.value;
    leaving = true;
    actions.continue();
    actions.runTo(4);
    actions.seek(2);
    actions.nextMove();
    expect(newly()).toEqual([]);
    leaving = false;
    state.patch({ session: session && { ...session, session: 's2' } });
    actions.nextMove();
    expect(newly()).toEqual([{ type: 'continue', session: 's2' }]);
  });

  test('stop closes nothing while another session is about to be shown', () => {
    leaving = true;
    actions.step();
    actions.stop();
    leaving = false;
    actions.nextMove();
    expect(newly()).toEqual([]);
  });

  test('a pause is sent at once, and takes the moves that wait away', () => {
    actions.continue();
    actions.step();
    actions.pause();
    expect(newly().map(({ type }) => type)).toEqual(['continue', 'pause']);
    requests.forget();
    actions.nextMove();
    expect(newly()).toEqual([]);
  });

  test('a breakpoint that is there is disabled, another one is set', () => {
    const { session } = state.value;
    if (session) {
      state.patch({ session: { ...session, run: { ...session.run, breakpoints: [4] } } });
    }
    actions.toggleBreakpoint(4);
    actions.toggleBreakpoint(5);
    expect(newly()).toMatchObject([
      { node: 4, enabled: false },
      { node: 5, enabled: true }
    ]);
  });

  test('a node that is asked about is selected', () => {
    actions.askWhy(7);
    expect(selected).toEqual([7]);
    expect(newly()).toEqual([{ type: 'get_why', session: 's1', node: 7 }]);
  });
});
