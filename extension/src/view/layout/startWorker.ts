import workerSource from '../../../generated/layoutWorker.txt';
import type { LayoutWorker } from './layoutClient';

/** One address for all workers of the page, kept: a worker is replaced when it takes too long. */
let address: string | undefined;

/**
 * Start the layout worker from its own text: an address would have to be served by every host.
 * Null where there are no workers; throws where the page's policy forbids this one.
 */
export function startLayoutWorker(): LayoutWorker | null {
  if (typeof Worker === 'undefined') {
    return null;
  }
  address ??= URL.createObjectURL(new Blob([workerSource], { type: 'text/javascript' }));
  return new Worker(address);
}
