/** What a button does, and its key, while the keyboard is on it: a page shows a title to the pointer alone. */
import type { JSX, RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

interface Shown {
  readonly text: string;
  /** The button, in pixels from the upper left corner of the view. */
  readonly left: number;
  readonly top: number;
  readonly bottom: number;
}

const GAP = 4;

/** Screen readers have the title already. */
export function Tip({ root }: { readonly root: RefObject<HTMLElement> }): JSX.Element | null {
  const [shown, setShown] = useState<Shown | null>(null);
  const element = useRef<HTMLDivElement>(null);
  const [place, setPlace] = useState({ left: 0, top: 0 });

  useEffect(() => {
    const view = root.current;
    if (!view) {
      return undefined;
    }
    const show = ({ target }: Event): void => setShown(tipOf(target, view));
    const hide = (): void => setShown(null);
    const hiding = ['focusout', 'keydown', 'pointerdown', 'wheel'] as const;
    view.addEventListener('focusin', show);
    hiding.forEach(type => view.addEventListener(type, hide, { passive: true }));
    return () => {
      view.removeEventListener('focusin', show);
      hiding.forEach(type => view.removeEventListener(type, hide));
    };
  }, [root]);

  // Below the button, or above it where there is no room; within the view.
  useLayoutEffect(() => {
    const tip = element.current;
    const view = root.current;
    if (shown && tip && view) {
      const { width, height } = tip.getBoundingClientRect();
      const below = shown.bottom + GAP;
      const fits = below + height <= view.clientHeight;
      setPlace({
        left: Math.max(GAP, Math.min(shown.left, view.clientWidth - width - GAP)),
        top: fits ? below : Math.max(shown.top - height - GAP, GAP)
      });
    }
  }, [shown]);

  return (
    shown && (
      <div
        ref={element}
        class="vg-tip"
        aria-hidden="true"
        style={{ left: `${place.left}px`, top: `${place.top}px` }}
      >
        {shown.text}
      </div>
    )
  );
}

function tipOf(target: EventTarget | null, view: HTMLElement): Shown | null {
  const button = target instanceof Element ? target.closest<HTMLElement>('button[title]') : null;
  if (!button || button.title === '' || !button.matches(':focus-visible')) {
    return null;
  }
  const own = button.getBoundingClientRect();
  const around = view.getBoundingClientRect();
  return {
    text: button.title,
    left: own.left - around.left,
    top: own.top - around.top,
    bottom: own.bottom - around.top
  };
}
