/** Small hooks shared by several components. */
import { createContext } from 'preact';
import type { RefObject } from 'preact';
import { useContext, useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

import type { DebuggerStore, Observable } from '../store';
import type { Commands, Doers } from './commands';
import type { Size } from './graph/geometry';

export const StoreContext = createContext<DebuggerStore | null>(null);

export function useStore(): DebuggerStore {
  const store = useContext(StoreContext);
  if (!store) {
    throw new Error('vizgrad view used outside mountView');
  }
  return store;
}

export const CommandsContext = createContext<Commands | null>(null);

export function useCommands(): Commands {
  const commands = useContext(CommandsContext);
  if (!commands) {
    throw new Error('vizgrad view used outside mountView');
  }
  return commands;
}

/** A part of the view does these as long as it is there; they see what it was drawn with last. */
export function useDoers(doers: Doers): void {
  const commands = useCommands();
  const latest = useRef(doers);
  latest.current = doers;
  useLayoutEffect(() => commands.offer(() => latest.current), [commands]);
}

export function useObservable<T>(observable: Observable<T>): T {
  const [value, setValue] = useState(observable.value);
  useEffect(() => {
    setValue(() => observable.value); // It may have changed between render and effect.
    return observable.subscribe(() => setValue(() => observable.value));
  }, [observable]);
  return value;
}

/** The element's content size, now and whenever it changes; null before it is known. */
export function useSize(ref: RefObject<Element>): Size | null {
  const [size, setSize] = useState<Size | null>(null);
  useLayoutEffect(() => {
    const element = ref.current;
    if (!element) {
      return undefined;
    }
    const measure = (): void => {
      const { width, height } = element.getBoundingClientRect();
      setSize(old => (old?.width === width && old.height === height ? old : { width, height }));
    };
    measure();
    return whenResized([element], measure);
  }, [ref]);
  return size;
}

/** Calls `act`, as it was given last, when the element or one of its `count` children has another size. */
export function useResized(ref: RefObject<Element>, act: () => void, count: number): void {
  const latest = useRef(act);
  latest.current = act;
  useLayoutEffect(() => {
    const element = ref.current;
    return element
      ? whenResized([element, ...element.children], () => latest.current())
      : undefined;
  }, [ref, count]);
}

/** Gives what ends that. */
function whenResized(elements: readonly Element[], act: () => void): (() => void) | undefined {
  // Of the window they are in, which may be another: an observer hears of its own window only.
  const Observer = (elements[0]?.ownerDocument.defaultView ?? window).ResizeObserver as
    typeof ResizeObserver | undefined;
  if (!Observer) {
    return undefined;
  }
  const observer = new Observer(act);
  elements.forEach(each => observer.observe(each));
  return () => observer.disconnect();
}
