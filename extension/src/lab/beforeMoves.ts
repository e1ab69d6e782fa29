/**
 * A view's move waits for the code of the notebooks of its kernel, which sets the breakpoints that it keeps in each session that
 * comes. It uses a comm of its own, so that a move which is sent at once would arrive first, and go past them.
 */
import { MOVES } from '../store';

/** What moves wait for. */
export interface Companion {
  /** The kernel whose sessions it goes along with; undefined: there is none. */
  readonly kernelId: string | undefined;
  /** Resolves when the session may be moved; null: it may at once. */
  ready(session: string): Promise<void> | null;
}

const companions = new Set<Companion>();

/** Moves wait for this one until what is returned is called. */
export function accompany(companion: Companion): () => void {
  companions.add(companion);
  return () => companions.delete(companion);
}

/** Resolves when the kernel may be sent the message; null: it may at once. */
export function beforeMove(
  kernelId: string,
  message: { readonly type?: string; readonly session?: unknown }
): Promise<unknown> | null {
  const { type, session } = message;
  if (typeof session !== 'string' || !MOVES.some(move => move === type)) {
    return null;
  }
  const waits = [...companions].flatMap(each =>
    each.kernelId === kernelId ? (each.ready(session) ?? []) : []
  );
  return waits.length > 0 ? Promise.all(waits) : null;
}
