/** A slider over the recorded steps. */
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';

import type { RunHead } from '../../store';
import * as format from '../format';
import { useStore } from '../hooks';

export function Scrubber({ run, disabled }: { run: RunHead; disabled: boolean }): JSX.Element {
  const store = useStore();
  const [dragged, setDragged] = useState<number | null>(null);
  // While dragging, the thumb is where the finger is; the run follows as fast as it can.
  useEffect(() => setDragged(null), [run.position]);
  const value = dragged ?? run.position;
  const done = dragged ?? format.doneCount(run);
  const total = Math.max(run.total, run.recorded, 1);
  const percent = (n: number): string => `${(100 * n) / total}%`;
  const seek = (wanted: number): void => {
    const position = Math.min(Math.max(wanted, run.earliest), run.recorded);
    if (position !== value) {
      setDragged(position);
      store.actions.seek(position);
    }
  };
  return (
    <span class="vg-scrubber">
      <span class="vg-scrub-track" aria-hidden="true">
        <span
          class="vg-scrub-recorded"
          style={{ left: percent(run.earliest), right: percent(total - run.recorded) }}
        />
        <span class="vg-scrub-done" style={{ width: percent(value) }} />
      </span>
      <input
        type="range"
        aria-label="Position"
        aria-valuetext={`${format.whole(done)} of ${format.count(total, 'node')} done, ${format.whole(run.recorded)} recorded`}
        title="Drag to move through the recorded steps"
        min={0}
        max={total}
        step={1}
        value={value}
        disabled={disabled || run.recorded === run.earliest}
        onInput={event => {
          const wanted = Number(event.currentTarget.value);
          seek(wanted);
          event.currentTarget.value = String(
            Math.min(Math.max(wanted, run.earliest), run.recorded)
          );
        }}
      />
    </span>
  );
}
