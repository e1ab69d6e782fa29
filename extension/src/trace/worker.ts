/** The half of a trace's view that runs in a worker: it reads the file, keeps all of it, and answers. */
import type { Request } from '../protocol';
import { bytesIn, readTraceFile } from './file';
import { TracePort } from './tracePort';
import type { FromWorker, ToWorker } from './workerPort';
import { BadFile } from './zip';

const scope = self as unknown as {
  onmessage: ((event: MessageEvent<ToWorker>) => void) | null;
  postMessage(message: FromWorker): void;
};

let port: TracePort | null = null;

async function read({ encoded, name }: ToWorker & { kind: 'read' }): Promise<void> {
  const progress = (share: number, text: string): void =>
    scope.postMessage({ kind: 'progress', share, text });
  try {
    const file = await readTraceFile(bytesIn(encoded), progress);
    port = new TracePort(file, name);
    port.onMessage(message => scope.postMessage({ kind: 'told', message }));
    scope.postMessage({ kind: 'ready' });
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error);
    scope.postMessage({ kind: 'failed', said, bad: error instanceof BadFile });
  }
}

scope.onmessage = ({ data }) => {
  if (data.kind === 'read') {
    void read(data);
  } else {
    port?.send(data.request as Request);
  }
};
