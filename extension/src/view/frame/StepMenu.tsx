/** Beside the button for a step: smaller steps, larger ones, and into what a node runs. */
import type { JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';

import { ContextMenu } from '../graph/ContextMenu';
import { Icon } from '../Icons';

const NAME = 'More steps';

export function StepMenu(): JSX.Element {
  const button = useRef<HTMLButtonElement>(null);
  const [at, setAt] = useState<{ x: number; y: number } | null>(null);
  const close = (back: boolean): void => {
    setAt(null);
    if (back) {
      button.current?.focus();
    }
  };
  const open = (): void => {
    const own = button.current?.getBoundingClientRect();
    const around = button.current?.closest('.vg-root')?.getBoundingClientRect();
    if (own && around) {
      setAt({ x: own.left - around.left, y: own.bottom - around.top + 2 });
    }
  };
  return (
    <>
      <button
        ref={button}
        type="button"
        class="vg-button vg-split"
        aria-label={NAME}
        aria-haspopup="menu"
        aria-expanded={at !== null}
        title="Choose a step: one stage, into your Python, to the next leaf"
        onClick={() => (at ? close(true) : open())}
        onKeyDown={event => {
          if (event.key === 'ArrowDown') {
            open();
            event.preventDefault();
            event.stopPropagation();
          }
        }}
      >
        <Icon name="more" />
      </button>
      {at && <ContextMenu of="step" title={NAME} {...at} opener={button} close={close} />}
    </>
  );
}
