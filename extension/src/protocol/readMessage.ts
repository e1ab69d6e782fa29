/** From whatever arrived on the comm to a `Message`, or a `Malformed` that says what is wrong. */
import { Malformed } from './check';
import { MESSAGE_READERS } from './messages';
import type { Message } from './messages';
import { checkGraph, checkRun, checkStart } from './references';

/**
 * Check one message. Throws `Malformed` if it is not what the protocol says; references between
 * its parts (an edge to a node that does not exist) are checked too, so that whoever draws the
 * graph may follow them blindly. Those of an update are checked where it is applied: only there it
 * is known how many nodes there are.
 */
export function readMessage(value: unknown): Message {
  const type =
    typeof value === 'object' && value !== null ? (value as { type?: unknown }).type : undefined;
  if (typeof type !== 'string' || !Object.hasOwn(MESSAGE_READERS, type)) {
    throw new Malformed(`one of ${Object.keys(MESSAGE_READERS).join(', ')}`, type).within('type');
  }
  try {
    const message = MESSAGE_READERS[type as Message['type']](value);
    if (message.type === 'snapshot') {
      const count = message.graph.nodes.length;
      checkGraph(message.graph);
      checkStart(message.start, count);
      checkRun(message.run, count);
    } else if (message.type === 'state') {
      checkRun(message.run, message.run.nodes.length);
    }
    return message;
  } catch (error) {
    throw error instanceof Malformed ? error.within(type) : error;
  }
}
