/**
 * The layout worker: runs Graphviz off the page's thread, so that a hard graph freezes nothing.
 * Whoever started it terminates it when it takes too long.
 */
import { Graphviz } from '@hpcc-js/wasm-graphviz';

export interface LayoutQuestion {
  readonly id: number;
  readonly dot: string;
}

export interface LayoutAnswer {
  /** 0: loaded and ready. */
  readonly id: number;
  readonly json?: string;
  readonly error?: string;
}

/** The part of a worker's global scope used here (the page's `self` has another type). */
interface Scope {
  onmessage: ((event: { data: LayoutQuestion }) => void) | null;
  postMessage(answer: LayoutAnswer): void;
}

const scope = self as unknown as Scope;
const loading = Graphviz.load();

scope.onmessage = ({ data: { id, dot } }) => {
  void loading
    // A deep graph overflows the stack inside the wasm module: an exception like any other.
    .then(graphviz => {
      // `json0` is json without drawing instructions; the package's types do not list it.
      const json = graphviz.layout(dot, 'json0' as 'json', 'dot');
      scope.postMessage({ id, json });
    })
    .catch((error: unknown) => scope.postMessage({ id, error: String(error) }));
};

void loading.then(
  () => scope.postMessage({ id: 0 }),
  (error: unknown) => scope.postMessage({ id: 0, error: String(error) })
);
