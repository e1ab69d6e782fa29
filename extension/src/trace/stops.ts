/** Where a person wants a trace that is gone through to stop. */
import type { Breakpoint, Request, Stopped } from '../protocol';
import type { TraceFile } from './file';

type Setting = Extract<
  Request,
  { type: 'set_breakpoint' | 'enable_breakpoint' | 'remove_breakpoint' | 'set_nonfinite' }
>;

export class TraceStops {
  /** Nodes, and whether a run stops before them. */
  private readonly breakpoints = new Map<number, boolean>();
  /** Also where a NaN or an infinity is born. */
  nonfinite = true;

  constructor(private readonly file: TraceFile) {}

  set(request: Setting): void {
    switch (request.type) {
      case 'set_breakpoint':
        if (request.enabled) {
          this.breakpoints.set(request.node, true);
        } else {
          this.breakpoints.delete(request.node);
        }
        break;
      case 'enable_breakpoint':
        this.breakpoints.set(request.breakpoint, request.enabled);
        break;
      case 'remove_breakpoint':
        this.breakpoints.delete(request.breakpoint);
        break;
      case 'set_nonfinite':
        this.nonfinite = request.enabled;
    }
  }

  /** The nodes before which it stops. */
  get nodes(): readonly number[] {
    const on = [...this.breakpoints].filter(([, enabled]) => enabled);
    return on.map(([node]) => node).sort((a, b) => a - b);
  }

  get listed(): readonly Breakpoint[] {
    return [...this.breakpoints].map(([node, enabled]) => {
      const text = `before ${this.called(node)}`;
      const place = this.file.trace.graph.nodes[node]?.place ?? null;
      const rest = { condition: '', hits: 0, hit: 0, total: 1, place, log: '', refused: '' };
      return { id: node, kind: 'node', text, enabled, nodes: [node], ...rest };
    });
  }

  private called(node: number): string {
    const { name = '', label = '' } = this.file.trace.graph.nodes[node] ?? {};
    return [name, label].filter(text => text !== '').join(' ');
  }

  /** Why a run ends where so many steps are done; null: it does not. */
  at(position: number): Stopped | null {
    const { records, view, trace } = this.file;
    const current = records[position - 1]?.current ?? null;
    if (current === null) {
      return null;
    }
    const born = view.stops.find(stop => stop.position === position);
    if (this.nonfinite && born) {
      return born;
    }
    if (!this.nodes.includes(current)) {
      return null;
    }
    const text = `Stopped: breakpoint before ${this.called(current)}`;
    const place = trace.graph.nodes[current]?.place ?? null;
    return {
      kind: 'breakpoint',
      text,
      position,
      node: current,
      place,
      birth: null,
      breakpoint: null
    };
  }
}
