/** What a person tells a session to do: where to go, where to stop, what if. */
import type { BreakpointKind, Unnumbered } from '../protocol';
import type { Move } from './moves';
import type { Observable } from './observable';
import type { DebuggerState } from './state';
import { causeOf } from './why';

export abstract class Orders {
  abstract readonly state: Observable<DebuggerState>;

  /** Sends what is about the session that is shown, if that is open. */
  protected abstract about(make: (session: string) => Unnumbered): void;

  protected abstract move(move: Move): void;

  /** Show a node in the inspector. */
  abstract select(node: number | null): void;

  step(count = 1): void {
    this.move({ kind: 'steps', count });
  }

  back(count = 1): void {
    this.move({ kind: 'steps', count: -count });
  }

  continue(): void {
    this.move({ kind: 'continue' });
  }

  stage(count = 1): void {
    this.move({ kind: 'stages', count });
  }

  stepIn(): void {
    this.move({ kind: 'step_in' });
  }

  stepOut(): void {
    this.move({ kind: 'step_out' });
  }

  runToLeaf(): void {
    this.move({ kind: 'run_to_leaf' });
  }

  runTo(node: number): void {
    this.move({ kind: 'run_to', node });
  }

  seek(position: number): void {
    this.move({ kind: 'seek', position });
  }

  restart(): void {
    this.move({ kind: 'restart' });
  }

  toggleBreakpoint(node: number): void {
    const run = this.state.value.session?.run;
    if (run) {
      const enabled = !run.breakpoints.includes(node);
      this.about(session => ({ type: 'set_breakpoint', session, node, enabled }));
    }
  }

  /** `text` as a person writes it; what is not understood is said. */
  addBreakpoint(kind: BreakpointKind, text: string, condition: string, hits: number): void {
    this.about(session => ({ type: 'add_breakpoint', session, kind, text, condition, hits }));
  }

  /** By its `id`. */
  enableBreakpoint(breakpoint: number, enabled: boolean): void {
    this.about(session => ({ type: 'enable_breakpoint', session, breakpoint, enabled }));
  }

  removeBreakpoint(breakpoint: number): void {
    this.about(session => ({ type: 'remove_breakpoint', session, breakpoint }));
  }

  /** Changes what waits at the first slot of a node, as `value` says, and goes on on a branch. */
  changeGradient(node: number, value: string): void {
    this.about(session => ({ type: 'set_grad', session, node, value, slot: 0 }));
  }

  switchBranch(name: string): void {
    this.about(session => ({ type: 'switch_branch', session, name }));
  }

  dropBranch(name: string): void {
    this.about(session => ({ type: 'drop_branch', session, name }));
  }

  /** Continue is to stop where a NaN is born, or not. */
  stopAtNonfinite(enabled: boolean): void {
    this.about(session => ({ type: 'set_nonfinite', session, enabled }));
  }

  /** Open the backward of the gradients that this one has made, and show that. */
  openSecond(): void {
    this.about(session => ({ type: 'open_second', session }));
  }

  /** Ask why a node is as it is, and show it. */
  askWhy(node: number): void {
    this.select(node);
    this.about(session => ({ type: 'get_why', session, node }));
  }

  /** Go to the step where what was explained happened, and select the node that the explanation is about. */
  showCause(): void {
    const { why } = this.state.value;
    const cause = why && causeOf(why.told);
    if (why === null || cause === null) {
      return;
    }
    if (
      why.told.position !== null &&
      why.told.position !== this.state.value.session?.run.position
    ) {
      this.seek(why.told.position);
    }
    this.select(cause);
  }

  /** What was explained is read. */
  closeWhy(): void {
    this.state.patch({ why: null });
  }
}
