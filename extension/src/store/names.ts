/** The names of nodes, as far as they are known; what is not known is noted, to be asked for at once. */
import type { Name } from '../protocol';

export class Names {
  private readonly known = new Map<number, Name>();
  private readonly wanted = new Set<number>();
  /** Those that the kernel did not name when it was asked. */
  private readonly refused = new Set<number>();

  /** `ask` is called when a name is wanted that nobody has told. */
  constructor(private readonly ask: () => void = () => undefined) {}

  /** What the node is called; undefined until that is known. */
  of(node: number): Name | undefined {
    const name = this.known.get(node);
    if (!name && !this.wanted.has(node) && !this.refused.has(node)) {
      this.wanted.add(node);
      this.ask();
    }
    return name;
  }

  /** The same, without wanting it. */
  peek(node: number): Name | undefined {
    return this.known.get(node);
  }

  learn(names: readonly Name[]): void {
    for (const name of names) {
      this.known.set(name.node, name);
      this.wanted.delete(name.node);
    }
  }

  /** At most so many that were wanted and are not known. */
  missing(most: number): readonly number[] {
    return [...this.wanted].slice(0, most);
  }

  /** The kernel has said what it has to say of these. */
  answered(nodes: readonly number[]): void {
    for (const node of nodes) {
      if (this.wanted.delete(node)) {
        this.refused.add(node);
      }
    }
  }
}
