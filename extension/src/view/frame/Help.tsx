/** The keys and signs, in a popover. */
import type { JSX } from 'preact';

import { NODE_STATES } from '../../protocol';
import type { NodeState } from '../../protocol';
import { StateIcon } from '../Icons';

const KEYS: readonly (readonly [string, string])[] = [
  ['F9', 'Continue'],
  ['F10', 'Step'],
  ['Shift F10', 'Step back'],
  ['Shift F9', 'Stop'],
  ['Arrows', 'Walk the graph (up and down along edges)'],
  ['Enter', 'Select the node; open or fold a group'],
  ['Backspace', 'Out to the group around'],
  ['[ ]', 'The cell before, after, of equal ones'],
  ['b', 'Toggle a breakpoint'],
  ['r', 'Run to the node'],
  ['/', 'Search nodes'],
  ['f', 'Zoom to fit'],
  ['z', 'Zoom to the selection'],
  ['+ −', 'Zoom in, out'],
  ['Esc', 'Follow the run again'],
  ['Ctrl wheel', 'Zoom (plain wheel once the graph has the focus)']
];

const STATES: Readonly<Record<NodeState, string>> = {
  waiting: 'waiting: not all gradients have arrived',
  ready: 'ready: in the queue',
  current: 'current: Step runs it next',
  done: 'done, with its place in the order',
  skipped: 'skipped: no target lies behind it',
  captured: 'captured: its gradient is a result',
  error: 'error'
};

export function Help({ close }: { close(): void }): JSX.Element {
  return (
    <div
      class="vg-help"
      role="dialog"
      aria-label="Keys and signs"
      onKeyDown={event => {
        if (event.key === 'Escape') {
          event.stopPropagation();
          close();
        }
      }}
    >
      <dl class="vg-keys">
        {KEYS.map(([key, what]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <ul class="vg-signs">
        {NODE_STATES.map(state => (
          <li key={state} class="vg-sign" data-sign={state}>
            <StateIcon state={state} share={state === 'waiting' ? 0.4 : 0} /> {STATES[state]}
          </li>
        ))}
        <li class="vg-sign">
          <svg class="vg-sign-line" viewBox="0 0 34 8" aria-hidden="true">
            <path d="M1 4h32" stroke="var(--vg-flow)" stroke-width="3" />
          </svg>
          a gradient flowed; the thicker, the larger its norm
        </li>
        <li class="vg-sign">
          <svg class="vg-sign-line" viewBox="0 0 34 8" aria-hidden="true">
            <path d="M1 4h32" stroke="var(--vg-muted)" stroke-width="1.5" stroke-dasharray="4 3" />
          </svg>
          an undefined gradient
        </li>
      </ul>
      <button type="button" class="vg-button vg-labelled" onClick={close}>
        Close
      </button>
    </div>
  );
}
