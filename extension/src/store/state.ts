/** Everything the view draws, in one immutable value. */
import type { Inspection, SessionInfo } from '../protocol';
import type { Patience } from './pending';
import type { PortStatus } from './port';
import type { SessionState } from './session';
import { INITIAL_VIEW } from './view';
import type { ViewState } from './view';

/** A line for the person, above the graph, until dismissed or overtaken. */
export interface Notice {
  readonly level: 'error' | 'warning';
  readonly text: string;
}

export interface DebuggerState {
  readonly port: PortStatus;
  readonly patience: Patience;
  /** A move is on its way to the kernel. */
  readonly moving: boolean;
  readonly sessions: readonly SessionInfo[];
  readonly kernelVersion: string;
  readonly session: SessionState | null;
  /** The latest answer about a node; it may be about an older revision than `session`. */
  readonly inspection: Inspection | null;
  readonly notice: Notice | null;
  /** Spoken by screen readers. */
  readonly announcement: string;
  readonly view: ViewState;
}

export const INITIAL_STATE: DebuggerState = {
  port: { state: 'connecting' },
  patience: 'answered',
  moving: false,
  sessions: [],
  kernelVersion: '',
  session: null,
  inspection: null,
  notice: null,
  announcement: '',
  view: INITIAL_VIEW
};
