/** A comparison opens with something to see: both branches at their ends, and the first node that differs selected. */
import { useEffect, useRef } from 'preact/hooks';

import type { Compared, Pair } from '../../store';
import { useStore } from '../hooks';

/**
 * Once for each pair: a branch that was left early is run to its end, because it cannot be compared before; and the
 * first node that differs is selected, and shown.
 */
export function useComparison(
  pair: Pair | null,
  compared: Compared | null,
  open: boolean,
  show: (node: number) => void
): void {
  const store = useStore();
  /** The pair that was opened last. */
  const opened = useRef('');
  /** Branches that were asked to run to their ends: once, because the user may pause that. */
  const finished = useRef(new Set<string>());
  /** What was selected by this, and what was before: where the comparison ends, all is as before. */
  const chosen = useRef<{ readonly node: number; readonly before: number | null } | null>(null);
  const key = pair === null ? '' : `${pair.there}\n${pair.here}`;
  useEffect(() => {
    if (key === '') {
      const { view } = store.state.value;
      if (chosen.current !== null && view.selection === chosen.current.node && !view.follow) {
        if (chosen.current.before === null) {
          store.home();
        } else {
          store.select(chosen.current.before);
        }
      }
      chosen.current = null;
      opened.current = '';
      finished.current.clear();
      return;
    }
    if (compared === null || opened.current === key) {
      return;
    }
    const { unfinished, first } = compared;
    if (open && unfinished !== '' && !finished.current.has(unfinished)) {
      finished.current.add(unfinished);
      store.actions.finishBranch(unfinished);
      return;
    }
    opened.current = key;
    if (first !== null) {
      const { selection, follow } = store.state.value.view;
      chosen.current ??= { node: first, before: follow ? null : selection };
      chosen.current = { ...chosen.current, node: first };
      store.select(first);
      show(first);
    }
  }, [key, compared]);
}
