/**
 * Every message between kernel and browser: the JSON form of `vizgrad/widgets/protocol.py`.
 *
 * A message is `{type: <dataclass name in snake_case>, ...fields}`. Requests name what to do, never
 * how: none of them carries code.
 */
import type { Graph, Node, Run, Storage, TensorSummary, Visit } from './model';

export const PROTOCOL_VERSION = 1;
export const COMM_TARGET = 'vizgrad';

// --- requests (browser -> kernel) ---------------------------------------------------------------

export interface ListSessions {
  readonly type: 'list_sessions';
  readonly request: number;
}

export interface Attach {
  readonly type: 'attach';
  readonly request: number;
  /** Null: the newest session. */
  readonly session: string | null;
}

interface SessionRequest<T extends string> {
  readonly type: T;
  readonly request: number;
  readonly session: string;
}

export type GetSnapshot = SessionRequest<'get_snapshot'>;
export type Continue = SessionRequest<'continue'>;
export type Restart = SessionRequest<'restart'>;
export type Stop = SessionRequest<'stop'>;

export interface Step extends SessionRequest<'step'> {
  readonly count: number;
}

export interface StepBack extends SessionRequest<'step_back'> {
  readonly count: number;
}

export interface RunTo extends SessionRequest<'run_to'> {
  readonly node: number;
}

export interface Seek extends SessionRequest<'seek'> {
  readonly position: number;
}

export interface SetBreakpoint extends SessionRequest<'set_breakpoint'> {
  readonly node: number;
  readonly enabled: boolean;
}

export interface Inspect extends SessionRequest<'inspect'> {
  readonly node: number;
}

export type Request =
  | ListSessions
  | Attach
  | GetSnapshot
  | Step
  | StepBack
  | Continue
  | RunTo
  | Seek
  | Restart
  | Stop
  | SetBreakpoint
  | Inspect;

// --- replies and events (kernel -> browser) -----------------------------------------------------

export interface SessionInfo {
  readonly session: string;
  readonly title: string;
  readonly status: string;
  readonly position: number;
  readonly total: number;
}

/** Reply to `ListSessions`; an event (request 0) when a session opens or closes. */
export interface Sessions {
  readonly type: 'sessions';
  readonly request: number;
  readonly sessions: readonly SessionInfo[];
  readonly vizgrad_version: string;
  readonly protocol_version: number;
}

/** Everything needed to draw the session from nothing. */
export interface Snapshot {
  readonly type: 'snapshot';
  readonly request: number;
  readonly session: string;
  readonly revision: number;
  readonly graph: Graph;
  readonly run: Run;
}

/** The run moved. */
export interface State {
  readonly type: 'state';
  readonly request: number;
  readonly session: string;
  readonly revision: number;
  readonly run: Run;
}

/** Storages were written, or saved values changed state, outside a step. */
export interface Versions {
  readonly type: 'versions';
  readonly session: string;
  readonly revision: number;
  readonly storages: readonly Storage[];
  readonly run: Run;
}

export interface Inspection {
  readonly type: 'inspection';
  readonly request: number;
  readonly session: string;
  readonly revision: number;
  readonly node: Node;
  readonly visit: Visit | null;
  readonly buffers: readonly (TensorSummary | null)[];
  readonly grad: TensorSummary | null;
}

/** The request could not be done; the message says what happened and what to do. */
export interface Failed {
  readonly type: 'failed';
  readonly request: number;
  readonly message: string;
  readonly session: string | null;
}

/** The session is closed: its last state stays readable, but it cannot be stepped. */
export interface Closed {
  readonly type: 'closed';
  readonly session: string;
  readonly revision: number;
}

export type Answer = Sessions | Snapshot | State | Versions | Inspection | Failed | Closed;
