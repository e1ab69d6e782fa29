/**
 * The store: sends what the user asks for (`sessionActions.ts`), matches answers to requests (`requestQueue.ts`) and
 * applies what the kernel tells (`messageHandler.ts`).
 */
import { Malformed } from '../protocol';
import { foldingAlong } from './along';
import { focusOf, isAway, lastRun } from './focus';
import { behindFrame, nextFrame, Soon } from './frame';
import type { Schedule } from './frame';
import type { Window } from './history';
import { RevisionTracker } from './revisionTracker';
import { Names } from './names';
import { Observable } from './observable';
import type { Port } from './port';
import { MOVES, READS, RequestQueue } from './requestQueue';
import type { Want } from './requestQueue';
import { SessionActions } from './sessionActions';
import { INITIAL_STATE } from './state';
import type { DebuggerState } from './state';
import { MessageHandler } from './messageHandler';
import type { HandlerContext } from './messageHandler';
import { foldingSent, refolded, UNFOLDED } from './view';
import type { FoldChange, ViewState } from './view';
import { wantsOf } from './wants';
import type { Watched } from './wants';

export interface StoreOptions {
  /** The session to attach to; null or absent: the newest (a widget's comm knows only its own). */
  readonly session?: string | null;
  /** Attach to every session that opens later, as the side panel does. */
  readonly followNewest?: boolean;
  /** The widget in whose place this is shown. */
  readonly view?: string;
  readonly schedule?: Schedule;
}

/** Milliseconds: what is done in less needs no word about it, which would only flicker. */
const BLINK = 100;

/** Storages of the whole notebook that are told of. */
const STORAGES = 500;

export class DebuggerStore {
  readonly state: Observable<DebuggerState>;
  readonly actions: SessionActions;
  private readonly requests: RequestQueue;
  private readonly handler: MessageHandler;
  private readonly context: HandlerContext;
  private readonly ends: (() => void)[] = [];
  private readonly revisions = new RevisionTracker();
  private readonly watched: Watched = {
    visits: null,
    memory: false,
    watches: false,
    storages: false
  };
  /** The view asks in the next frame for what was found to be unknown while this one was drawn. */
  private readonly askSoon: Soon;
  /** What the run has changed is drawn first, then the view asks for what is read beside the picture. */
  private readonly askBehind: Soon;
  private disposed = false;
  /** Until then nobody is told that the run moves. */
  private moved: ReturnType<typeof setTimeout> | undefined;
  /** The session to show at first. */
  private first: string | null;

  constructor(
    port: Port,
    private readonly options: StoreOptions = {}
  ) {
    const { schedule } = options;
    this.askSoon = new Soon(schedule ?? nextFrame, () => this.ask());
    this.askBehind = new Soon(schedule ?? behindFrame, () => this.ask());
    this.first = options.session ?? null;
    this.state = new Observable<DebuggerState>(INITIAL_STATE, schedule ?? nextFrame);
    this.requests = new RequestQueue(
      port,
      () => this.pendingChanged(),
      error => this.notSent(error)
    );
    this.actions = new SessionActions(
      this.state,
      this.requests,
      node => this.select(node),
      () => this.isLeaving()
    );
    this.context = {
      revisions: this.revisions,
      requests: this.requests,
      actions: this.actions,
      followNewest: options.followNewest ?? false,
      attaching: undefined,
      newNames: () => new Names(() => this.askSoon.call())
    };
    this.handler = new MessageHandler(this.state, this.context);
    this.ends.push(port.onMessage(message => this.receive(message)));
    if (port.onStatus) {
      this.ends.push(port.onStatus(status => this.portChanged(status)));
    } else {
      this.portChanged({ state: 'open' });
    }
  }

  /** The view is gone: the kernel need not keep its session for it. */
  dispose(): void {
    const ends = this.ends.splice(0);
    for (const end of ends) {
      end();
    }
    if (ends.length > 0 && this.state.value.port.state === 'open') {
      this.requests.send({ type: 'detach' }); // Nobody may be there any more who could keep anything.
    }
    this.disposed = true;
    this.requests.forget();
    clearTimeout(this.moved);
  }

  // --- what the user looks at ---

  attach(session: string | null): void {
    this.context.attaching = session;
    this.ask();
  }

  /**
   * Show a node in the inspector; it stays there until the person selects again, goes back to the node that the run
   * is about, or the run comes to it. One that is not drawn is: the groups around it are opened.
   */
  select(node: number | null): void {
    const { session, view } = this.state.value;
    const hidden = node !== null && session !== null && !session.fold.draws(node);
    const folding = hidden ? refolded(view.folding, { near: node }) : view.folding;
    const follow = node !== null && session !== null && focusOf(session) === node;
    this.view({ selection: node, follow, folding });
  }

  /** Back to the node that the run is about: the selection goes along with it again. */
  home(): void {
    const { session, view } = this.state.value;
    this.view(
      session
        ? {
            follow: true,
            selection: focusOf(session),
            folding: foldingAlong(view.folding, session)
          }
        : { follow: true }
    );
  }

  /** Select the node that ran last; where that is selected, go back. */
  selectLast(): void {
    const { session, view } = this.state.value;
    const last = session && lastRun(session);
    if (isAway(this.state.value) && view.selection === last) {
      this.home();
    } else if (last !== null) {
      this.select(last);
    }
  }

  /** Open or close groups, choose a cell, show what is around a node: the kernel draws it anew. */
  fold(change: FoldChange): void {
    const { session, view } = this.state.value;
    this.view({ folding: refolded(view.folding, change, session) });
  }

  /** Open or close a group of the lane. */
  foldLane(group: number, open: boolean): void {
    const { lane } = this.state.value.view;
    const others = (groups: readonly number[]): number[] => groups.filter(one => one !== group);
    const opened = open ? [...others(lane.opened), group] : others(lane.opened);
    const closed = open ? others(lane.closed) : [...others(lane.closed), group];
    this.view({ lane: { ...lane, opened, closed } });
  }

  view(fields: Partial<ViewState>): void {
    this.state.patch({ view: { ...this.state.value.view, ...fields } });
    this.ask();
    this.state.flush();
  }

  /** The panels show these visits (null: none); those that are not known are asked for. */
  watchVisits(visits: Window | null): void {
    this.watched.visits = visits;
    this.ask();
  }

  /** Whether a panel shows saved values; if none does, they become stale. */
  watchMemory(on: boolean): void {
    const { session } = this.state.value;
    this.watched.memory = on;
    if (session?.memory && !on) {
      this.requests.forgetAnswers('get_memory');
      this.state.patch({ session: { ...session, memory: null } });
    }
    this.ask();
  }

  /** Whether the watch list is shown; if it is not, nobody computes its values. */
  watchExpressions(on: boolean): void {
    const { session } = this.state.value;
    this.watched.watches = on;
    if (session?.watches && !on) {
      this.requests.forgetAnswers('get_watches');
      this.state.patch({ session: { ...session, watches: null } });
    }
    this.ask();
  }

  /** Whether the panel shows all storages, or only those with events. */
  watchStorages(on: boolean): void {
    this.watched.storages = on;
    this.ask();
  }

  /** Show what lives in the memory of the notebook; read as soon as the kernel can be asked. */
  showHeap(): void {
    this.view({ heap: true });
    this.readHeap();
  }

  /** The kernel is to read what lives in the memory of the notebook: that is about no session. */
  readHeap(): void {
    const { port, heapAsked } = this.state.value;
    if (port.state === 'open' && !heapAsked) {
      this.state.patch({ heapAsked: true });
      this.requests.send({ type: 'get_heap', most: STORAGES });
    }
  }

  /** Forget what was never answered and ask for everything again. */
  retry(): void {
    this.actions.clearMoves();
    this.requests.forget();
    this.state.patch({ notice: null });
    const session = this.sessionToShow();
    if (this.options.followNewest && session === null && this.state.value.sessions.length === 0) {
      this.requests.send({ type: 'list_sessions' }); // There may be none to attach to yet.
    } else {
      this.attach(session);
    }
  }

  /** What is shown, if the kernel has it; null: the newest. */
  private sessionToShow(): string | null {
    const { session, sessions } = this.state.value;
    const shown = session?.session ?? this.first;
    const isThere = sessions.length === 0 || sessions.some(info => info.session === shown);
    return this.options.followNewest && !isThere ? null : shown;
  }

  /** What was refused is being put right. */
  forgive(): void {
    if (this.state.value.refused !== null) {
      this.state.patch({ refused: null });
    }
  }

  dismiss(): void {
    this.state.patch({ notice: null });
  }

  // --- asking ---

  /**
   * Asks for what the view wants to know and nobody was asked about; `first`: for what the picture waits for, as
   * also while the run moves, when nothing else is answered.
   */
  private ask(first = false): void {
    const { port, working } = this.state.value;
    if (!this.disposed && port.state === 'open') {
      const wants = this.attachment() ?? wantsOf(this.state.value, this.watched, this.revisions);
      const isFirst = ({ request }: Want): boolean => READS.includes(request.type);
      this.requests.ask(first || working?.what === 'running' ? wants.filter(isFirst) : wants);
    }
  }

  /** Whether the user chose another session than the one that is still shown. */
  private isLeaving(): boolean {
    const { attaching } = this.context;
    const { session } = this.state.value;
    return typeof attaching === 'string' && session !== null && session.session !== attaching;
  }

  private attachment(): readonly Want[] | null {
    const { attaching: session } = this.context;
    if (session === undefined) {
      return null;
    }
    const shown = this.state.value.session?.session;
    const folding = foldingSent(session === shown ? this.state.value.view.folding : UNFOLDED);
    const view = this.options.view ?? '';
    return [{ request: { type: 'attach', session, folding, view } }];
  }

  // --- receiving ---

  private receive(value: unknown): void {
    const received = this.requests.receive(value);
    if (received === null) {
      return;
    }
    const { message, question, fits } = received;
    if (message instanceof Malformed) {
      if (question?.type === 'attach') {
        this.context.attaching = undefined;
      }
      this.handler.misread(message);
      return;
    }
    if (fits) {
      this.handler.hear(message, question);
    }
    this.actions.nextMove();
    if (message.type === 'updated') {
      this.askBehind.call();
    }
    this.ask(this.askBehind.waits);
  }

  private pendingChanged(): void {
    const { requests, state } = this;
    const { session } = state.value;
    // Where there is something to see, nobody is told of a wait that is short: it would be drawn.
    const patience =
      session !== null && requests.patience === 'waiting' ? 'answered' : requests.patience;
    const moving = this.movesForLong(requests.has(...MOVES, 'stop'));
    const worse =
      patience !== state.value.patience && (patience === 'slow' || patience === 'silent');
    if (patience !== state.value.patience || moving !== state.value.moving) {
      state.patch({ patience, moving });
    }
    if (worse) {
      this.knock();
    }
  }

  /** Whether to say that the run moves: not of a step that is done in less than a blink. */
  private movesForLong(moving: boolean): boolean {
    if (!moving) {
      clearTimeout(this.moved);
      this.moved = undefined;
      return false;
    }
    this.moved ??= setTimeout(() => this.state.patch({ moving: true }), BLINK);
    return this.state.value.moving;
  }

  /** Asks a small thing, in case an answer got lost: the kernel says then if it knows so. */
  private knock(): void {
    const { session } = this.state.value;
    if (session === null || this.requests.has('attach')) {
      this.requests.send({ type: 'list_sessions' });
    } else {
      const { session: id, revision } = session;
      this.requests.send({ type: 'since', session: id, revision });
    }
  }

  private portChanged(status: DebuggerState['port']): void {
    const before = this.state.value.port.state;
    this.state.patch({ port: status, heapAsked: false });
    if (status.another) {
      this.state.patch({ heap: null }); // It was that of another kernel.
    }
    if (status.state === 'open' && before !== 'open') {
      // Never trust what the browser remembers: over a reopened comm one looks anew.
      this.retry();
      if (this.state.value.view.heap && this.state.value.heap === null) {
        this.readHeap();
      }
    } else if (status.state !== 'open') {
      this.actions.clearMoves();
      this.requests.forget();
      this.state.patch({ sessions: [] });
      if (this.options.followNewest && status.another) {
        this.first = before === 'open' ? null : this.first;
        this.state.patch({
          session: null,
          inspection: null,
          part: null,
          notice: null,
          ranks: null,
          ranksThere: null,
          announcement: ''
        });
      }
    }
  }

  private notSent(error: unknown): void {
    this.handler.complain(
      `The request could not be sent (${messageOf(error)}): the kernel this view belongs to is ` +
        'gone or was restarted. Run the cell again.'
    );
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
