/** From whatever arrived on the comm to a `Message`, or a `Malformed` that says what is wrong. */
import { Malformed } from './check';
import { MESSAGE_READERS } from './messages';
import type { Message } from './messages';

/**
 * Check one message. Throws `Malformed` if it is not what the protocol says. Whether the numbers in it
 * refer to what there is (`references.ts`) is checked where it is applied: only there it is known how
 * many nodes there are, and what is drawn.
 */
export function readMessage(value: unknown): Message {
  const type =
    typeof value === 'object' && value !== null ? (value as { type?: unknown }).type : undefined;
  if (typeof type !== 'string' || !Object.hasOwn(MESSAGE_READERS, type)) {
    throw new Malformed(`one of ${Object.keys(MESSAGE_READERS).join(', ')}`, type).within('type');
  }
  try {
    return MESSAGE_READERS[type as Message['type']](value);
  } catch (error) {
    throw error instanceof Malformed ? error.within(type) : error;
  }
}
