/**
 * The files that a notebook's program was recorded in, each in a view of its own: found by its path, and used again.
 *
 * None ever takes the focus. One is opened where a person has asked for it, has selected a node that was recorded there,
 * or the run has stopped there for a reason. Steps only go from file to file where one is open already, or was until its
 * session was over. Who closes the last one does not want them: then only asking opens one.
 */
import type { IEditorServices } from '@jupyterlab/codeeditor';
import type { IDisposable } from '@lumino/disposable';

import type { CodeOwner } from './owner';
import type { FileMarks } from './program';
import { bringToFront } from './shell';
import type { MainArea } from './shell';
import { Hand, nextFrame } from './sight';
import { SourceView } from './sourceView';

/** 'asked': by name. 'selected': a node of it. 'stopped': the run, for a reason. 'followed': a step came there. */
export type Reason = 'asked' | 'selected' | 'stopped' | 'followed';

/** Milliseconds that a view stays when its session is over: most times another comes. */
const GRACE = 3000;

interface Open {
  readonly view: SourceView;
  readonly hand: Hand;
  /** The session that its text was read for. */
  session: string;
  /** When it is let go, if nothing is recorded there until then. */
  timer: ReturnType<typeof setTimeout> | undefined;
}

export class Sources implements IDisposable {
  /** By path. */
  private readonly open = new Map<string, Open>();
  private isWished = true;
  /** Steps go from file to file. A view that is let go of with its session does not end that: a timer lets go of it. */
  private isFollowing = false;
  private readonly looksAgain = (): void => this.readAgain();
  isDisposed = false;

  constructor(
    private readonly code: CodeOwner,
    private readonly services: IEditorServices,
    private readonly area: MainArea
  ) {
    window.addEventListener('focus', this.looksAgain);
  }

  dispose(): void {
    if (!this.isDisposed) {
      this.isDisposed = true;
      window.removeEventListener('focus', this.looksAgain);
      [...this.open.keys()].forEach(path => this.letGo(path));
    }
  }

  /** Those that are open are told what to mark; those of which nothing is known any more are let go. */
  refresh(): void {
    const { program } = this.code;
    for (const [path, each] of this.open) {
      const file = this.fileOf(path);
      each.view.tell(this.code.told(file, path));
      if (file === null) {
        each.timer ??= setTimeout(() => this.letGo(path), GRACE);
      } else {
        clearTimeout(each.timer);
        each.timer = undefined;
        if (each.session !== program?.session) {
          void this.read(path, each);
        }
      }
    }
    for (const [file, marks] of this.code.marks) {
      const known = program?.files[file];
      if (known?.text === '') {
        this.code.stops.meet(known.file, marks);
      }
    }
  }

  /** Shows a line of a text of the program. */
  async show(file: number, line: number, why: Reason): Promise<void> {
    const path = this.code.program?.files[file]?.file;
    if (path === undefined) {
      return;
    }
    this.isWished ||= why === 'asked';
    if (!(why === 'followed' ? this.isFollowing : this.isWished)) {
      return;
    }
    const each = this.open.get(path) ?? (await this.openOne(path, why));
    if (each && bringToFront(each.view, this.area, why === 'asked')) {
      await nextFrame(); // It may not have had its height until now.
      each.view.showLine(line, by =>
        each.hand.lets(by, why === 'asked' || why === 'selected' ? 'asked' : 'step')
      );
    }
  }

  private fileOf(path: string): number | null {
    const { program } = this.code;
    const file = program?.files.findIndex(each => each.file === path && each.text === '') ?? -1;
    return file < 0 ? null : file;
  }

  private marksIn(path: string, { isTrue }: SourceView): FileMarks | null {
    return isTrue ? (this.code.marks.get(this.fileOf(path) ?? -1) ?? null) : null;
  }

  /** Null: there is no text, and nobody has asked for it. */
  private async openOne(path: string, why: Reason): Promise<Open | null> {
    const { follower, program } = this.code;
    const file = this.fileOf(path);
    if (!program || file === null) {
      return null;
    }
    const { session } = program;
    const told = await follower.ask({ type: 'get_source', session, file: path });
    const there = this.open.get(path);
    if (there || !told || this.isDisposed) {
      return there ?? null;
    }
    if (told.gone !== '' && (why === 'stopped' || why === 'followed')) {
      return null;
    }
    const view = new SourceView(path, this.services, {
      goes: line => this.code.goes(this.fileOf(path), line),
      toggles: line => {
        this.code.stops.toggle(path, line, this.marksIn(path, view));
        this.code.refresh();
      },
      valueOf: expression => this.code.valueOf(expression),
      noValue: () => this.code.noValue(),
      runsTo: line => void this.code.runTo(() => this.marksIn(path, view), line),
      chooses: node => this.code.chooses(node),
      shown: () => this.readAgain(),
      closed: () => {
        this.letGo(path);
        this.isWished = this.isFollowing = this.open.size > 0;
      }
    });
    const made: Open = { view, hand: new Hand(view.node), session, timer: undefined };
    const last = [...this.open.values()].at(-1)?.view ?? null;
    this.open.set(path, made);
    this.isWished = this.isFollowing = true;
    view.read(told);
    view.tell(this.code.told(this.fileOf(path), path));
    this.area.add(view, last, this.code.panel);
    return made;
  }

  /** Files change without a word: a reader who comes back is told. */
  private readAgain(): void {
    for (const [path, each] of this.open) {
      if (each.view.isVisible) {
        void this.read(path, each);
      }
    }
  }

  private async read(path: string, each: Open): Promise<void> {
    const { follower, program } = this.code;
    const file = this.fileOf(path);
    if (!program || file === null) {
      return;
    }
    const { session } = program;
    const isNew = each.session !== session;
    each.session = session;
    const told = await follower.ask({ type: 'get_source', session, file: path });
    if (told && !each.view.isDisposed && each.session === session) {
      each.view.read(told, isNew);
      each.view.tell(this.code.told(this.fileOf(path), path));
    }
  }

  private letGo(path: string): void {
    const each = this.open.get(path);
    if (each) {
      this.open.delete(path);
      clearTimeout(each.timer);
      each.hand.dispose();
      each.view.dispose();
    }
  }
}
