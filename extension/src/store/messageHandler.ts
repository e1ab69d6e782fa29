/** What the kernel tells: each message becomes another state. */
import { checkDrawing, checkNodes, checkStorages, Malformed, PROTOCOL_VERSION } from '../protocol';
import type {
  Failed,
  Message,
  Ranks,
  Sessions,
  Shown,
  Unnumbered,
  Update,
  Working
} from '../protocol';
import { foldingAlong } from './along';
import { announce } from './announce';
import { comparedIn } from './comparing';
import { focusOf } from './focus';
import { DoesNotFollow } from './fold';
import { ranksAfter } from './ranks';
import type { RevisionTracker } from './revisionTracker';
import type { Names } from './names';
import type { Observable } from './observable';
import type { RequestQueue } from './requestQueue';
import { closedAt, fromShown, withInspected, withStorages, withUpdate } from './session';
import type { RunHead, SessionState } from './session';
import type { SessionActions } from './sessionActions';
import { FIELD_REQUESTS } from './state';
import type { DebuggerState, Notice, Refused } from './state';
import { UNFOLDED } from './view';
import { hasNode, spokenWhy } from './why';

/** What the handler works with besides the state. */
export interface HandlerContext {
  readonly revisions: RevisionTracker;
  readonly requests: RequestQueue;
  readonly actions: SessionActions;
  readonly followNewest: boolean;
  /** The session that the view is to show next, until it does. */
  attaching: string | null | undefined;
  newNames(): Names;
}

/** What is not about the session that is shown, or does not say so. */
type Anybodys =
  | 'sessions'
  | 'shown'
  | 'at_revision'
  | 'failed'
  | 'working'
  | 'roll_call'
  | 'done'
  | 'heap_read'
  | 'ranks'
  | 'ranks_at';

/** The kernel tells what it is busy with more often than this. */
const SILENCE_MS = 3000;
/** An update that is to follow may have got lost. */
const HOLD_MS = 100;

export class MessageHandler {
  private silence: ReturnType<typeof setTimeout> | undefined;
  /** What was told of ranks, until the update that comes with it: one change is drawn once. */
  private held: Ranks | null = null;
  private holding: ReturnType<typeof setTimeout> | undefined;
  /** The run before a move that is told in pieces. */
  private before: RunHead | null = null;

  constructor(
    private readonly state: Observable<DebuggerState>,
    private readonly context: HandlerContext
  ) {}

  /** `question` is what the message answers; undefined: it is told unasked. */
  hear(message: Message, question: Unnumbered | undefined): void {
    this.release();
    if (message.type === 'ranks' && message.followed) {
      this.held = message;
      this.holding = setTimeout(() => this.release(), HOLD_MS);
      return;
    }
    try {
      this.apply(message, question);
    } catch (error) {
      if (!(error instanceof Malformed)) {
        throw error;
      }
      this.misread(error);
    }
  }

  private release(): void {
    clearTimeout(this.holding);
    const { held } = this;
    this.held = null;
    if (held) {
      this.applyRanks(held);
    }
  }

  private apply(message: Message, question: Unnumbered | undefined): void {
    switch (message.type) {
      case 'sessions':
        this.applySessions(message);
        return;
      case 'shown':
        this.applyShown(message, question);
        return;
      case 'at_revision':
        this.applyRevision(message.session, message.revision);
        return;
      case 'failed':
        this.applyFailed(message, question);
        return;
      case 'working':
        this.applyWorking(message);
        return;
      case 'roll_call':
        this.context.requests.send({ type: 'list_sessions' }); // Any word will do.
        return;
      case 'heap_read':
        this.state.patch({ heap: message, heapAsked: false });
        return;
      case 'ranks':
        this.applyRanks(message);
        return;
      case 'ranks_at': {
        const { session: of, node, ranks } = message;
        this.state.patch({ ranksThere: { session: of, node, ranks } });
        return;
      }
      case 'done':
        return; // What it changed was told before.
      default: {
        const { session } = this.state.value;
        if (message.session === session?.session) {
          this.applyOurs(message, session, question);
        }
      }
    }
  }

  /** What is about the session that is shown. */
  private applyOurs(
    message: Exclude<Message, { type: Anybodys }>,
    session: SessionState,
    question: Unnumbered | undefined
  ): void {
    const { size, names, history } = session;
    if ('names' in message) {
      checkNodes(message.names, size, `${message.type}.names`);
      names.learn(message.names);
    }
    switch (message.type) {
      case 'updated':
        this.applyUpdate(message.update);
        break;
      case 'updates':
        message.updates.forEach(update => this.applyUpdate(update));
        break;
      case 'behind':
        this.context.revisions.lose();
        break;
      case 'names':
        names.answered(question?.type === 'get_names' ? question.nodes : []);
        this.change({ ...session });
        break;
      case 'visits':
        checkNodes(message.visits, size, 'visits.visits');
        history.learn(message.visits);
        this.change({ ...session });
        this.goAlong();
        break;
      case 'memory':
        checkNodes(message.holders, size, 'memory.holders');
        this.change({ ...session, memory: message });
        break;
      case 'log_lines':
        checkNodes(message.lines, size, 'log_lines.lines');
        this.change({ ...session, log: message });
        break;
      case 'watches':
        this.change({ ...session, watches: message });
        break;
      case 'lane':
        if (message.drawing) {
          checkDrawing(message.drawing, message.made.length);
        }
        this.change({ ...session, lane: message });
        break;
      case 'opened':
        this.context.attaching = message.opened;
        this.context.requests.send({ type: 'list_sessions' });
        this.state.patch({ opened: true });
        break;
      case 'differences':
        if (question?.type === 'get_differences') {
          checkNodes(message.differences, size, 'differences.differences');
          checkNodes(message.first === null ? [] : [{ node: message.first }], size, 'differences');
          const pair = { here: question.other, there: question.name };
          this.change({ ...session, compared: comparedIn(pair, message) });
        }
        break;
      case 'storages':
        checkStorages(message.storages, size);
        this.change(withStorages(session, message.storages));
        break;
      case 'picture':
        this.state.patch({ picture: message });
        break;
      case 'trace_saved': {
        const { file, folder, size } = message;
        const text = `Saved ${file} (${size}) in ${folder}. It opens without a kernel.`;
        this.state.patch({ notice: { level: 'info', text }, announcement: text });
        break;
      }
      case 'found':
        if (question?.type === 'find') {
          const { total, names: first } = message;
          this.change({ ...session, found: { query: question.query, total, names: first } });
        }
        break;
      case 'inspection':
        this.change(withInspected(session, message));
        this.state.patch({ inspection: message });
        break;
      case 'written': {
        checkNodes([message.of], size, 'written.of');
        const { writer } = message;
        const known = writer.node === null ? [] : [{ node: writer.node }];
        checkNodes(known, size, 'written.writer');
        this.state.patch({ written: message, announcement: writer.text });
        if (writer.position !== null) {
          this.context.actions.goToStep(writer.position, writer.node);
        }
        break;
      }
      case 'why':
        checkNodes(message.chain.filter(hasNode), size, 'why.chain');
        checkNodes([message], size, 'why');
        this.state.patch({
          why: { told: message, position: session.run.position },
          announcement: spokenWhy(message)
        });
        break;
      case 'array_part':
        if (question?.type === 'get_part') {
          const { revision } = message;
          this.state.patch({ part: { asked: question, revision, told: message } });
        }
        break;
      case 'lines':
      case 'lines_moved':
      case 'line_nodes':
      case 'node_line':
      case 'source':
      case 'value_read':
        break; // No view asks for them: `lab/code` does.
    }
  }

  /** It is told several times a second: when that ends without a word, the kernel is gone. */
  private applyWorking(message: Working): void {
    clearTimeout(this.silence);
    this.context.requests.heard();
    if (message.session === this.state.value.session?.session) {
      this.state.patch({ working: message.what === '' ? null : message });
      this.goAlong();
      this.silence = setTimeout(() => {
        this.state.patch({ working: null });
        this.goAlong();
      }, SILENCE_MS);
    }
  }

  /** A rank that leaves the others is said, once. */
  private applyRanks(told: Ranks): void {
    const { ranks: before, announcement } = this.state.value;
    const ranks = ranksAfter(before, told);
    const news = ranks.differing > 0 && ranks.text !== before?.text;
    const [line = ''] = ranks.text.split('\n');
    this.state.patch({ ranks, announcement: news ? line : announcement });
  }

  private applySessions({ sessions, vizgrad_version, protocol_version }: Sessions): void {
    const known = new Set(this.state.value.sessions.map(info => info.session));
    const opened = sessions.some(info => !known.has(info.session));
    this.state.patch({ sessions, kernelVersion: vizgrad_version });
    if (protocol_version > PROTOCOL_VERSION) {
      this.complain(
        `The kernel runs vizgrad ${vizgrad_version}, which is newer than this view. ` +
          'Reinstall vizgrad where Jupyter runs, and reload the page.'
      );
    }
    if (this.context.followNewest && opened) {
      this.context.attaching = null;
    }
  }

  private applyShown(shown: Shown, question: Unnumbered | undefined): void {
    const { session, view } = this.state.value;
    const { context } = this;
    if (question?.type !== 'attach' && question?.type !== 'look') {
      return;
    }
    const isNew = session?.session !== shown.session;
    if (question.type === 'attach' && question.session === context.attaching) {
      context.attaching = undefined;
    }
    if (isNew ? question.type === 'look' : shown.revision < session.revision) {
      return; // Something else is shown meanwhile, and is asked about.
    }
    const next = fromShown(shown, question.folding, session, () => context.newNames());
    context.revisions.restart(next.revision, isNew);
    if (isNew) {
      context.requests.forgetAnswers();
      const { current } = next.run;
      // The first look is at where the run is, also where that is inside of a group.
      const near = current === null || next.fold.draws(current) ? null : current;
      this.state.patch({
        inspection: null,
        written: null,
        why: null,
        part: null,
        notice: null,
        refused: null,
        view: {
          ...view,
          selection: null,
          follow: true,
          folding: { ...UNFOLDED, near },
          comparing: 'given'
        }
      });
    }
    this.moved(next, isNew);
  }

  /** Folds an update that comes next; of one that comes later it is noted that others are missing. */
  private applyUpdate(update: Update): void {
    const { session } = this.state.value;
    const { revisions } = this.context;
    if (!session || update.revision <= session.revision) {
      return;
    }
    if (!revisions.hears(update, session.revision)) {
      return;
    }
    try {
      this.moved(withUpdate(session, update));
    } catch (error) {
      if (error instanceof Malformed) {
        this.misread(error);
      } else if (!(error instanceof DoesNotFollow)) {
        throw error;
      }
      revisions.lose();
    }
  }

  /** A message may have got lost: whatever is still open is asked again. */
  private applyRevision(id: string, revision: number): void {
    this.context.requests.forget();
    if (id === this.state.value.session?.session) {
      this.context.revisions.hearsOf(revision);
    }
  }

  private applyFailed({ message: text, closed }: Failed, question: Unnumbered | undefined): void {
    const { session } = this.state.value;
    const { revisions, actions } = this.context;
    if (question?.type === 'get_heap') {
      this.state.patch({ heapAsked: false });
    }
    if (question?.type === 'look' || question?.type === 'since') {
      revisions.refuse();
      if (session && revisions.closed) {
        this.moved(closedAt(session, revisions.heard)); // A closed one tells no more of a large graph.
        return;
      }
    }
    if (question?.type === 'attach' && question.session === this.context.attaching) {
      this.context.attaching = undefined;
    }
    if (question?.type === 'attach' && closed && question.session === session?.session) {
      this.moved(closedAt(session, session.revision, UNKNOWN));
      return;
    }
    actions.clearMoves();
    if (isOfField(question)) {
      this.state.patch({ refused: { request: question, text }, announcement: text });
      return;
    }
    if (session?.closed !== true || question === undefined || !ASIDE.includes(question.type)) {
      this.state.patch({ notice: { level: 'error', text, refusal: true } });
    }
  }

  private moved(next: SessionState, isNew = false): void {
    const { session, announcement, working } = this.state.value;
    const before = isNew ? null : (this.before ?? session?.run ?? null);
    // A piece of a long move is seen: it is said when all of it is done.
    this.before = working?.what === 'running' ? before : null;
    const said = this.before ? '' : announce(before, next);
    this.state.patch({ session: next, announcement: said || announcement });
    if (session && hasMoved(session.run, next.run)) {
      const { notice } = this.state.value;
      this.state.patch({ refused: null, notice: notice?.refusal === true ? null : notice });
    }
    const { view } = this.state.value;
    if (isNew || (view.selection ?? 0) >= next.size) {
      this.state.patch({ view: { ...view, selection: null } });
    }
    this.goAlong();
  }

  /** The selection goes along with the run, and what is open does; also after the run has come to it. */
  private goAlong(): void {
    const { session, view, working } = this.state.value;
    if (!session) {
      return;
    }
    if (working?.what === 'running') {
      // Groups do not open and close by the dozen under a run.
      const running = working.node?.node ?? null;
      if (view.follow && running !== null && running !== view.selection) {
        this.state.patch({ view: { ...view, selection: running } });
      }
      return;
    }
    const selection = focusOf(session);
    const follow = view.follow || (selection !== null && view.selection === selection);
    if (!follow) {
      return;
    }
    const folding = foldingAlong(view.folding, session);
    if (selection !== view.selection || folding !== view.folding || !view.follow) {
      this.state.patch({ view: { ...view, selection, follow, folding } });
    }
  }

  private change(session: SessionState): void {
    this.state.patch({ session });
  }

  misread(error: Malformed): void {
    this.complain(
      `The kernel sent a message this view cannot read (${error.message}). ` +
        'The Python package and the extension are probably of different versions: ' +
        'reinstall vizgrad, restart the kernel and reload the page.'
    );
  }

  complain(text: string, level: Notice['level'] = 'error'): void {
    this.state.patch({ notice: { level, text } });
  }
}

function isOfField(question: Unnumbered | undefined): question is Refused['request'] {
  return question !== undefined && (FIELD_REQUESTS as readonly string[]).includes(question.type);
}

/** What was refused at another place, or on another branch, is of no interest any more. */
function hasMoved(before: RunHead, now: RunHead): boolean {
  const branch = ({ branches }: RunHead): string =>
    branches.find(({ current }) => current)?.name ?? '';
  return before.position !== now.position || branch(before) !== branch(now);
}

/** Of a session that was shown, and that the kernel has no more. */
const UNKNOWN = 'the kernel no longer has it; run its cell again to start a new one';

/** What a view asks by itself: a closed session may not know it any more. */
const ASIDE: readonly Unnumbered['type'][] = [
  'inspect',
  'get_names',
  'get_visits',
  'get_memory',
  'get_watches',
  'get_writer',
  'get_log',
  'get_part',
  'get_storages',
  'get_picture',
  'get_differences',
  'get_lane',
  'get_ranks',
  'get_why'
];
