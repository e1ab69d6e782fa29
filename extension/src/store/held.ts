/** Bytes that saved values hold, now and step by step; changed in place. */
import type { Saved } from '../protocol';

interface Block {
  users: number;
  bytes: number;
}

export interface Holder {
  readonly node: number;
  readonly bytes: number;
}

export class Held {
  /** What is held now. A storage counts once, however many nodes saved it. */
  bytes = 0;
  peak = 0;
  /** `steps[i]` is what is held when `i` visits are done, as far as that is known. */
  readonly steps: number[] = [];
  /** The sum over nodes: what several of them hold counts several times. */
  ofNodes = 0;
  /** Bytes of the values of each node that holds any. */
  readonly byNode = new Map<number, number>();
  /** Every node that ever held something, those with most first; null: to be sorted again. */
  private ranking: readonly number[] | null = null;
  private readonly most = new Map<number, number>();
  private readonly blocks = new Map<string | number, Block>();

  /** A value is held (`by` is 1), or no longer: `bytes` of memory, until the last user lets go. */
  count(node: number, index: number, value: Saved, bytes: number, by: 1 | -1): void {
    if (bytes === 0) {
      return;
    }
    this.ofNodes += by * value.bytes;
    const own = (this.byNode.get(node) ?? 0) + by * value.bytes;
    if (own > 0) {
      this.byNode.set(node, own);
      if (own > (this.most.get(node) ?? 0)) {
        this.most.set(node, own);
        this.ranking = null;
      }
    } else {
      this.byNode.delete(node);
    }
    const key = value.storage ?? `${node} ${index}`;
    const block = this.blocks.get(key) ?? { users: 0, bytes };
    this.blocks.set(key, block);
    if (block.users === 0) {
      block.bytes = bytes;
      this.bytes += bytes;
    }
    block.users += by;
    if (block.users === 0) {
      this.bytes -= block.bytes;
    }
  }

  /** The nodes that hold most now, the largest first: values of a node are released together. */
  largest(count: number): readonly Holder[] {
    const { most } = this;
    this.ranking ??= [...most].sort(([a, x], [b, y]) => y - x || a - b).map(([node]) => node);
    const found: Holder[] = [];
    for (let i = 0; i < this.ranking.length && found.length < count; i++) {
      const node = this.ranking[i] as number;
      const bytes = this.byNode.get(node);
      if (bytes !== undefined) {
        found.push({ node, bytes });
      }
    }
    return found;
  }

  /** `position` visits are done. */
  mark(position: number): void {
    this.steps[position] = this.bytes;
    this.peak = Math.max(this.peak, this.bytes);
  }
}
