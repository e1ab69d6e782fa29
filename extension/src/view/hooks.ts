/** Small hooks shared by several components. */
import { createContext } from 'preact';
import type { RefObject } from 'preact';
import { useContext, useEffect, useLayoutEffect, useState } from 'preact/hooks';

import type { DebuggerStore, Observable } from '../store';
import type { Size } from './graph/geometry';

export const StoreContext = createContext<DebuggerStore | null>(null);

export function useStore(): DebuggerStore {
  const store = useContext(StoreContext);
  if (!store) {
    throw new Error('vizgrad view used outside mountView');
  }
  return store;
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
    if (typeof ResizeObserver === 'undefined') {
      return undefined;
    }
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [ref]);
  return size;
}
