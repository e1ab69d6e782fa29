/** Bytes that saved values hold, step by step. */
import type { Saved } from '../../protocol';
import type { SessionState } from '../../store';

export interface Holder {
  readonly node: number;
  readonly bytes: number;
}

export interface MemoryCurve {
  /** `held[i]` is what is held when `i` visits are done, as far as the visits are known. */
  readonly held: readonly number[];
  readonly peak: number;
  /** Nodes that hold something now, the largest first. */
  readonly holders: readonly Holder[];
}

/**
 * A storage counts once, however many nodes saved it, and until the last of them lets go. A visit
 * that is done released what is freed now; one that was undone is taken to release all again.
 */
export function memoryCurve(session: SessionState): MemoryCurve {
  const { history, run, saved } = session;
  const users = new Map<string, number>();
  const size = new Map<string, number>();
  let held = 0;
  const hold = (key: string, bytes: number): void => {
    users.set(key, (users.get(key) ?? 0) + 1);
    if (users.get(key) === 1) {
      size.set(key, bytes);
      held += bytes;
    }
  };
  const release = (key: string): void => {
    const left = (users.get(key) ?? 0) - 1;
    users.set(key, left);
    if (left === 0) {
      held -= size.get(key) ?? 0;
    }
  };

  for (const [node, values] of saved) {
    values.forEach((value, i) => hold(keyOf(node, i, value), value.bytes));
  }
  const curve = [held];
  history.forEach((node, index) => {
    const values = node === undefined ? undefined : saved.get(node);
    values?.forEach((value, i) => {
      if (index >= run.position || value.state === 'freed') {
        release(keyOf(node as number, i, value));
      }
    });
    curve.push(held);
  });

  const holders = [...saved]
    .map(([node, values]) => ({ node, bytes: alive(values) }))
    .filter(holder => holder.bytes > 0)
    .sort((a, b) => b.bytes - a.bytes || a.node - b.node);
  return { held: curve, peak: curve.reduce((a, b) => Math.max(a, b), 0), holders };
}

/** The memory a saved value stands for: its storage, or itself. */
function keyOf(node: number, index: number, { storage }: Saved): string {
  return storage === null ? `${node} ${index}` : `s${storage}`;
}

function alive(values: readonly Saved[]): number {
  return values.reduce((sum, { state, bytes }) => sum + (state === 'freed' ? 0 : bytes), 0);
}
