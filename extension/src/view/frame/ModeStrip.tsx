/** The thread's modes, in words: what is unusual stands out. */
import type { JSX } from 'preact';

import type { Modes } from '../../protocol';
import { memo } from '../memo';

interface Mode {
  readonly name: string;
  readonly on: boolean;
  readonly title: string;
  readonly usual: boolean;
}

function modesOf(modes: Modes): Mode[] {
  const level = modes.forward_level;
  return [
    { name: 'grad', on: modes.grad, usual: true, title: 'Grad mode: operations are recorded' },
    { name: 'inference', on: modes.inference, usual: false, title: 'Inference mode' },
    {
      name: 'anomaly',
      on: modes.anomaly,
      usual: false,
      title: 'Anomaly mode: a NaN gradient is an error'
    },
    {
      name: level < 0 ? 'forward AD' : `forward AD level ${level}`,
      on: level >= 0,
      usual: false,
      title: 'Forward-mode AD'
    },
    { name: 'threads', on: modes.multithreading, usual: true, title: 'Multithreaded engine' }
  ];
}

function ModeStripInner({ modes }: { modes: Modes }): JSX.Element | null {
  const all = modesOf(modes);
  const shown = all.filter(({ on, usual }) => on !== usual);
  if (shown.length === 0) {
    return null; // As nearly always: only what is unusual is worth the room.
  }
  return (
    <ul class="vg-modes" aria-label="Modes">
      {shown.map(({ name, on, usual, title }) => (
        <li
          key={title}
          class={on === usual ? 'vg-mode' : 'vg-mode vg-unusual'}
          data-on={on}
          title={`${title}: ${on ? 'on' : 'off'}`}
          aria-label={`${name} ${on ? 'on' : 'off'}`}
        >
          {name}
        </li>
      ))}
    </ul>
  );
}

export const ModeStrip = memo(ModeStripInner);
