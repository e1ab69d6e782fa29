/** Gradients that have arrived at the slots of nodes and are not used yet. */
import type { Buffer, TensorSummary } from '../protocol';

export class Buffers {
  private readonly byNode = new Map<number, Map<number, TensorSummary | null>>();

  constructor(buffers: readonly Buffer[]) {
    buffers.forEach(({ node, input_nr, value }) => this.put(node, input_nr, value));
  }

  put(node: number, slot: number, value: TensorSummary | null): void {
    const slots = this.byNode.get(node) ?? new Map<number, TensorSummary | null>();
    this.byNode.set(node, slots.set(slot, value));
  }

  /** What was there before a delivery; null: nothing. */
  restore(node: number, slot: number, value: TensorSummary | null): void {
    if (value !== null) {
      this.put(node, slot, value);
      return;
    }
    const slots = this.byNode.get(node);
    slots?.delete(slot);
    if (slots?.size === 0) {
      this.byNode.delete(node);
    }
  }

  /** The node used them. */
  clear(node: number): void {
    this.byNode.delete(node);
  }

  /** At each of so many slots of a node. */
  at(node: number, slots: number): readonly (TensorSummary | null)[] {
    const found = this.byNode.get(node);
    return Array.from({ length: slots }, (_, slot) => found?.get(slot) ?? null);
  }

  get list(): readonly Buffer[] {
    return [...this.byNode]
      .flatMap(([node, slots]) =>
        [...slots].map(([input_nr, value]) => ({ node, input_nr, value }))
      )
      .sort((a, b) => a.node - b.node || a.input_nr - b.input_nr);
  }
}
