/** What is answered to who only looks at the file of a trace. */
import type { Message, Request } from '../protocol';
import type { TraceFile } from './file';
import type { TraceLook } from './look';

const MOST_NAMES = 200;
const MOST_VISITS = 1000;

/** Where one looks: so many steps are done, and the node that is gone through. */
interface Standing {
  readonly revision: number;
  readonly position: number;
  readonly within: number | null;
}

type Told = Message extends infer M
  ? M extends Message
    ? Omit<M, 'request' | 'session'>
    : never
  : never;

/** Null for a request of another kind. Without what every answer has. */
export function looked(
  request: Request,
  look: TraceLook,
  file: TraceFile,
  { revision, position, within }: Standing
): Told | null {
  switch (request.type) {
    case 'inspect':
      return { ...look.inspection(request.node, position), revision };
    case 'get_part':
      return { type: 'array_part', revision, ...look.part(request, position) };
    case 'get_names':
      return { type: 'names', names: look.names(request.nodes.slice(0, MOST_NAMES)) };
    case 'find':
      return { type: 'found', ...look.find(request.query) };
    case 'get_visits': {
      const count = Math.min(request.count, MOST_VISITS);
      const visits = look.visits(Math.max(request.first, 0), count, position);
      return { type: 'visits', visits, names: look.names(visits.map(({ node }) => node)) };
    }
    case 'get_memory':
      return { type: 'memory', revision, ...look.memory(position) };
    case 'get_lane':
      return { type: 'lane', revision, ...look.lane(within) };
    case 'get_differences': {
      const found = file.view.beside.find(({ name }) => name === request.name);
      const message = `there is no other run ${request.name} in this trace`;
      return found
        ? { type: 'differences', revision, ...differences(found) }
        : { type: 'failed', message, closed: false };
    }
    case 'get_storages': {
      const { storages } = file.trace.graph;
      const some = storages.slice(0, Math.max(request.most, 0));
      return { type: 'storages', revision, total: storages.length, storages: some };
    }
    default:
      return null;
  }
}

function differences({
  total,
  differences: some,
  first,
  text
}: TraceFile['view']['beside'][number]): Pick<
  Message & { type: 'differences' },
  'total' | 'differences' | 'first' | 'text' | 'unfinished'
> {
  return { total, differences: some, first, text, unfinished: '' };
}
