// Reads files of traces as a page does, one after another, for `python -m tests.fuzz_files --kinds page`: each comes
// as its length in four bytes, and what follows; each is answered by a line of JSON.
import { Buffer } from 'node:buffer';
import process from 'node:process';

import { DebuggerStore } from '../../src/store';
import { readTraceFile } from '../../src/trace/file';
import { TracePort } from '../../src/trace/tracePort';
import { BadFile } from '../../src/trace/zip';

/** What a person does with a trace: to its end and back, looking at nodes, memory and values. */
async function used(bytes) {
  const file = await readTraceFile(bytes);
  const store = new DebuggerStore(new TracePort(file, 'x'), { schedule: callback => callback() });
  const settled = async () => {
    for (let i = 0; i < 12; i++) {
      await Promise.resolve();
    }
  };
  await settled();
  const all = { first: 0, count: 100 };
  const acts = [
    () => store.watchMemory(true),
    () => store.watchStorages(true),
    () => store.watchVisits(all),
    () => store.actions.step(3),
    () => store.select(0),
    () => store.actions.continue(),
    () => store.actions.seek(file.records.length),
    ...[0, 1, file.trace.graph.nodes.length - 1].map(node => () => store.select(node)),
    () =>
      store.view({
        looking: {
          kind: 'incoming',
          nr: 0,
          name: '',
          node: null,
          at: [],
          rows: null,
          columns: null
        }
      }),
    () => store.fold({ close: file.trace.graph.groups.map(({ id }) => id) }),
    () => store.fold({ open: file.trace.graph.groups.map(({ id }) => id) }),
    () => store.view({ search: { query: 'b', index: 0 } }),
    () => store.actions.back(2),
    () => store.actions.restart()
  ];
  for (const act of acts) {
    act();
    await settled();
  }
  const { notice } = store.state.value;
  store.dispose();
  for (const { of } of file.arrays) {
    of.forEach(each => {
      try {
        file.array(each);
      } catch (error) {
        if (!(error instanceof BadFile)) {
          throw error;
        }
      }
    });
  }
  return notice?.text ?? '';
}

async function answer(bytes) {
  try {
    return { said: await used(bytes) };
  } catch (error) {
    return error instanceof BadFile ? { refused: error.message } : { fault: error.stack };
  }
}

const faults = []; // of what is called later
process.on('uncaughtException', error => faults.push(error.stack));

let held = Buffer.alloc(0);
for await (const chunk of process.stdin) {
  held = Buffer.concat([held, chunk]);
  while (held.length >= 4 && held.length >= 4 + held.readUInt32LE(0)) {
    const end = 4 + held.readUInt32LE(0);
    const told = await answer(new Uint8Array(held.subarray(4, end)));
    held = held.subarray(end);
    const [fault] = faults.splice(0);
    process.stdout.write(`${JSON.stringify(fault === undefined ? told : { fault })}\n`);
  }
}
