// Made by `make types` from vizgrad/debugger/jupyter/widget/protocol/heap.py: do not edit.
/** The memory of the whole process: what is asked and answered about no session. */
import { float, integer, record, word } from './check';
import type { Reader } from './check';
import { readHeap } from './model/memory';
import type { Heap } from './model/memory';

/**
 * What lives in the memory of the process, and who holds it? At most the `most` largest storages.
 */
export interface GetHeap {
  readonly type: 'get_heap';
  readonly request: number;
  readonly most: number;
}

/** As it was at one moment; reading it took so many `seconds`. */
export interface HeapRead {
  readonly type: 'heap_read';
  readonly request: number;
  readonly heap: Heap;
  readonly seconds: number;
}

export const readGetHeap: Reader<GetHeap> = record<GetHeap>({
  type: word('get_heap'),
  request: integer,
  most: integer
});

export const readHeapRead: Reader<HeapRead> = record<HeapRead>({
  type: word('heap_read'),
  request: integer,
  heap: readHeap,
  seconds: float
});
