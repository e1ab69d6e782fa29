/** The thread's modes, in words: what is unusual stands out. */
import type { JSX } from 'preact';

import type { Modes } from '../../protocol';
import { memo } from '../memo';

interface Mode {
  readonly text: string;
  readonly title: string;
  readonly unusual: boolean;
}

function modesOf(modes: Modes): Mode[] {
  const level = modes.forward_level;
  return [
    {
      text: `grad ${modes.grad ? 'on' : 'off'}`,
      title: 'Grad mode: operations are recorded',
      unusual: !modes.grad
    },
    {
      text: `inference ${modes.inference ? 'on' : 'off'}`,
      title: 'Inference mode',
      unusual: modes.inference
    },
    {
      text: `anomaly ${modes.anomaly ? 'on' : 'off'}`,
      title: 'Anomaly mode: NaN gradients are errors',
      unusual: modes.anomaly
    },
    {
      text: level < 0 ? 'forward AD off' : `forward AD level ${level}`,
      title: 'Forward-mode AD level',
      unusual: level >= 0
    },
    {
      text: modes.multithreading ? 'threads on' : 'threads off',
      title: 'Multithreading of the engine',
      unusual: !modes.multithreading
    }
  ];
}

function ModeStripInner({ modes, short }: { modes: Modes; short: boolean }): JSX.Element {
  const all = modesOf(modes);
  // A narrow view has room for what is unusual only; grad mode is always told.
  const shown = short ? all.filter((mode, i) => i === 0 || mode.unusual) : all;
  return (
    <ul class="vg-modes" aria-label="Modes">
      {shown.map(({ text, title, unusual }) => (
        <li key={title} title={title} class={unusual ? 'vg-mode vg-unusual' : 'vg-mode'}>
          {text}
        </li>
      ))}
    </ul>
  );
}

export const ModeStrip = memo(ModeStripInner);
