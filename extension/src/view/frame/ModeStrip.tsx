/** The thread's modes that are not as usual, in words. */
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
  const shown = modesOf(modes).filter(({ on, usual }) => on !== usual);
  return shown.length === 0 ? null : (
    <ul class="vg-modes" aria-label="Modes">
      {shown.map(({ name, on, title }) => (
        <li
          key={title}
          class="vg-mode vg-unusual"
          data-on={on}
          title={`${title}: ${on ? 'on' : 'off'}`}
        >
          {`${name} ${on ? 'on' : 'off'}`}
        </li>
      ))}
    </ul>
  );
}

export const ModeStrip = memo(ModeStripInner);
