/** A bar between two parts; dragging it, or the arrow keys on it, shares the room out. */
import type { JSX, TargetedPointerEvent } from 'preact';

interface SplitterProps {
  readonly name: string;
  readonly direction: 'columns' | 'rows';
  /** Share of the first part, 0 to 1. */
  readonly share: number;
  change(share: number): void;
}

const LEAST = 0.2;
const MOST = 0.85;
const KEY_STEP = 0.03;

export function Splitter({ name, direction, share, change }: SplitterProps): JSX.Element {
  const columns = direction === 'columns';
  const set = (next: number): void => change(Math.min(Math.max(next, LEAST), MOST));
  const drag = (event: TargetedPointerEvent<HTMLDivElement>): void => {
    const parent = event.currentTarget.parentElement;
    if (!(event.buttons & 1) || !parent) {
      return;
    }
    const box = parent.getBoundingClientRect();
    // What is said above the parts does not take from the first of them.
    const said = parseFloat(getComputedStyle(parent).getPropertyValue('--vg-said')) || 0;
    const height = box.height + said;
    set(columns ? (event.clientX - box.left) / box.width : (event.clientY - box.top) / height);
  };
  return (
    <div
      class={`vg-splitter vg-splitter-${direction}`}
      role="separator"
      tabIndex={0}
      aria-label={name}
      aria-orientation={columns ? 'vertical' : 'horizontal'}
      aria-valuenow={Math.round(share * 100)}
      aria-valuemin={LEAST * 100}
      aria-valuemax={MOST * 100}
      onPointerDown={event => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={drag}
      onKeyDown={event => {
        const back = columns ? 'ArrowLeft' : 'ArrowUp';
        const on = columns ? 'ArrowRight' : 'ArrowDown';
        if (event.key === back || event.key === on) {
          event.preventDefault();
          event.stopPropagation();
          set(share + (event.key === on ? KEY_STEP : -KEY_STEP));
        }
      }}
    />
  );
}
