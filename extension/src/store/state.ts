/** Everything the view draws, in one immutable value. */
import type {
  ArrayPart,
  GetPart,
  HeapRead,
  Inspection,
  Picture,
  SessionInfo,
  Unnumbered,
  Why,
  Working,
  Written
} from '../protocol';
import type { Patience } from './requestQueue';
import type { PortStatus } from './port';
import type { RanksState, RanksThere } from './ranks';
import type { SessionState } from './session';
import { INITIAL_VIEW } from './view';
import type { ViewState } from './view';

/** A line for the person, above the graph, until dismissed or overtaken. */
export interface Notice {
  readonly level: 'error' | 'warning' | 'info';
  readonly text: string;
  /** Something that was asked for was refused: of no interest any more once the run has moved. */
  readonly refusal?: boolean;
}

/** A request that a field makes, and why it was refused. */
export interface Refused {
  readonly request: Extract<Unnumbered, { type: FieldRequest }>;
  readonly text: string;
}

export const FIELD_REQUESTS = ['set_grad', 'add_breakpoint', 'add_watch', 'edit_watch'] as const;

export type FieldRequest = (typeof FIELD_REQUESTS)[number];

/** What was told of an array, and what had been asked. */
export interface PartShown {
  readonly asked: Omit<GetPart, 'request'>;
  readonly revision: number;
  readonly told: ArrayPart;
}

export interface DebuggerState {
  readonly port: PortStatus;
  readonly patience: Patience;
  /** A move is on its way to the kernel. */
  readonly moving: boolean;
  /** What the kernel is busy with for this session, as long as it goes on telling. */
  readonly working: Working | null;
  readonly sessions: readonly SessionInfo[];
  /** Another session was opened from the one that was shown first: a person may want to go back. */
  readonly opened: boolean;
  readonly kernelVersion: string;
  readonly session: SessionState | null;
  /** The latest answer about a node; it may be about an older revision than `session`. */
  readonly inspection: Inspection | null;
  /** Who wrote an array last, as it was answered last. */
  readonly written: Written | null;
  /** Why a node is as it is, as it was answered last, and how many nodes were done then. */
  readonly why: { readonly told: Why; readonly position: number } | null;
  /** The part of an array that was told of last. */
  readonly part: PartShown | null;
  /** What a notebook is to show that is read without a kernel, as it was told last. */
  readonly picture: Picture | null;
  /** What lives in the memory of the notebook, as it was read last, and whether it is being read now. */
  readonly heap: HeapRead | null;
  readonly heapAsked: boolean;
  /** Where several processes run a backward, of which `session` is one: the others, too. */
  readonly ranks: RanksState | null;
  readonly ranksThere: RanksThere | null;
  readonly notice: Notice | null;
  /** What a person typed into a field and the kernel did not accept: said beside that field. */
  readonly refused: Refused | null;
  /** Spoken by screen readers. */
  readonly announcement: string;
  readonly view: ViewState;
}

export const INITIAL_STATE: DebuggerState = {
  port: { state: 'connecting' },
  patience: 'answered',
  moving: false,
  working: null,
  sessions: [],
  opened: false,
  kernelVersion: '',
  session: null,
  inspection: null,
  written: null,
  why: null,
  part: null,
  picture: null,
  heap: null,
  heapAsked: false,
  ranks: null,
  ranksThere: null,
  notice: null,
  refused: null,
  announcement: '',
  view: INITIAL_VIEW
};

/** Is it what was asked for? */
export function shows({ asked }: PartShown, request: PartShown['asked']): boolean {
  return JSON.stringify(asked) === JSON.stringify(request);
}

/** The node that is running now, if the kernel says that one is. */
export function runningIn({ working }: DebuggerState): number | null {
  return working?.what === 'running' ? (working.node?.node ?? null) : null;
}
