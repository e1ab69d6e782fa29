/** Bytes that saved values hold, step by step, as `vizgrad/debugger/session/history/fold.py` counts them. */
import type { Holder, Holding, StepRecord } from '../protocol';

const MOST_POINTS = 600;
const MOST_HOLDERS = 3;

export class MemoryCurve {
  /** When so many steps are done. */
  private readonly held: number[];
  private readonly holding: number[];
  /** The step after which a node held nothing any more. */
  private readonly released = new Map<number, number>();
  private readonly blocks = new Map<number, number[]>();

  constructor(
    private readonly holdings: readonly Holding[],
    records: readonly StepRecord[]
  ) {
    const users = holdings.map(({ nodes }) => new Set(nodes).size);
    holdings.forEach(({ nodes }, block) => {
      for (const node of new Set(nodes)) {
        this.blocks.set(node, [...(this.blocks.get(node) ?? []), block]);
      }
    });
    let held = holdings.reduce((sum, { bytes }) => sum + bytes, 0);
    let holding = this.blocks.size;
    this.held = [held];
    this.holding = [holding];
    for (const { visit, released } of records) {
      if (released.length > 0 && this.blocks.has(visit.node)) {
        this.released.set(visit.node, this.held.length);
        holding -= 1;
        for (const block of this.blocks.get(visit.node) ?? []) {
          users[block] = (users[block] ?? 0) - 1;
          held -= users[block] === 0 ? (holdings[block]?.bytes ?? 0) : 0;
        }
      }
      this.held.push(held);
      this.holding.push(holding);
    }
  }

  at(position: number): number {
    return this.held[position] ?? 0;
  }

  get peak(): number {
    return this.held[0] ?? 0;
  }

  /** Of each crowd of steps the one that holds most. */
  get points(): readonly (readonly [number, number])[] {
    const stride = Math.ceil(this.held.length / MOST_POINTS);
    const points: [number, number][] = [];
    for (let start = 0; start < this.held.length; start += stride) {
      let best = start;
      for (let step = start; step < Math.min(start + stride, this.held.length); step++) {
        best = this.at(step) > this.at(best) ? step : best;
      }
      points.push([best, this.at(best)]);
    }
    return points;
  }

  /** The nodes that hold most; how many others hold something, and what those hold alone. */
  largest(position: number): { holders: Holder[]; others: number; others_bytes: number } {
    const size = (blocks: readonly number[]): number =>
      blocks.reduce((sum, block) => sum + (this.holdings[block]?.bytes ?? 0), 0);
    const ranking = [...this.blocks].sort(
      ([a, own], [b, other]) => size(other) - size(own) || a - b
    );
    const told = new Set<number>();
    const holders: Holder[] = [];
    for (const [node, blocks] of ranking) {
      const own = blocks.filter(block => !told.has(block));
      const holds = (this.released.get(node) ?? Infinity) > position;
      if (holders.length < MOST_HOLDERS && own.length > 0 && holds) {
        own.forEach(block => told.add(block));
        holders.push({ node, bytes: size(own) });
      }
    }
    holders.sort((a, b) => b.bytes - a.bytes);
    const shown = holders.reduce((sum, { bytes }) => sum + bytes, 0);
    const others = (this.holding[position] ?? 0) - holders.length;
    return { holders, others, others_bytes: this.at(position) - shown };
  }
}
