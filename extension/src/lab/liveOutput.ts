/**
 * A session in an output of a notebook: the view of it, if it lives in the notebook's kernel, else the picture
 * that was saved. While it lives the picture is kept up to date, for a later reader of the notebook; until another
 * cell moves the session: then this output is still, and a click opens the session in its place.
 */
import type { ISessionContext } from '@jupyterlab/apputils';
import type { IRenderMime } from '@jupyterlab/rendermime-interfaces';
import type { KernelMessage } from '@jupyterlab/services';

import { button, RUN_AGAIN, styles } from '../mime/draw';
import { MIME, readSaved, svgIn } from '../mime/saved';
import { SavedOutput } from '../mime/savedOutput';
import type { SavedView } from '../protocol';
import type { DebuggerState } from '../store';
import type { MountedView } from '../view';
import { KernelFollower } from './kernelFollower';
import { KernelPort } from './kernelPort';

/** A connection takes less, most times: the picture need not flash up before the view. */
const PATIENCE = 500;
/** The run stands still for so long before a picture of it is asked for. */
const REST = 1000;

/** What a widget's own output is; without its kernel it is nothing. */
const WIDGET = 'application/vnd.jupyter.widget-view+json';

type Stage = 'saved' | 'coming' | 'live';

export class LiveOutput extends SavedOutput {
  private stage: Stage = 'saved';
  private model: IRenderMime.IMimeModel | null = null;
  private port: KernelPort | null = null;
  private view: MountedView | null = null;
  private readonly host = document.createElement('div');
  /** The revision that the picture shows. */
  private pictured = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;
  /** A still output whose session the user has opened. */
  private opened = false;

  constructor(private readonly context: ISessionContext) {
    super();
    this.host.className = 'vg-saved-live';
    context.kernelChanged.connect(this.kernelChanged, this);
    context.iopubMessage.connect(this.replaced, this);
  }

  override renderModel(model: IRenderMime.IMimeModel): Promise<void> {
    const before = this.saved?.session;
    this.model = model;
    this.keep(model);
    if (this.saved?.session !== before || this.stage === 'saved' || this.saved?.still) {
      this.opened = false;
      this.leave();
      this.come();
    }
    return Promise.resolve();
  }

  override dispose(): void {
    if (!this.isDisposed) {
      this.leave();
      this.context.kernelChanged.disconnect(this.kernelChanged, this);
      this.context.iopubMessage.disconnect(this.replaced, this);
    }
    super.dispose();
  }

  private kernelChanged(): void {
    if (this.stage === 'saved') {
      this.come();
    }
  }

  /**
   * Another cell has moved the session. JupyterLab replaces the outputs of executions that this page has asked for;
   * of a page that was loaded anew it knows none.
   */
  private replaced(_: unknown, { header, content }: KernelMessage.IMessage): void {
    if (header.msg_type === 'update_display_data' && this.saved && !this.saved.still) {
      const { data } = content as KernelMessage.IUpdateDisplayDataMsg['content'];
      const said = readSaved(data);
      if (said?.still && said.view === this.saved.view && said.view !== '') {
        this.model?.setData({ data });
      }
    }
  }

  /** Looks for the session; until it is found there is the picture, or nothing for a moment. */
  private come(): void {
    if (!this.saved || !this.context.session?.kernel) {
      this.showPicture();
      return;
    }
    if (this.saved.still && !this.opened) {
      this.showPicture(
        button('Open live', () => {
          this.opened = true;
          this.come();
        })
      );
      return;
    }
    this.stage = 'coming';
    this.host.dataset['state'] = 'coming';
    this.node.replaceChildren(this.host);
    this.timer = setTimeout(() => this.wait(), PATIENCE);
    void this.connect(this.saved);
  }

  private wait(): void {
    if (this.stage === 'coming') {
      this.showPicture('Looking for its session in the kernel…');
      this.node.append(this.host);
    }
  }

  private async connect({ session, view }: SavedView): Promise<void> {
    const { openView } = await import('../view');
    if (this.isDisposed || this.saved?.session !== session || this.stage !== 'coming') {
      return;
    }
    const follower = new KernelFollower();
    const port = new KernelPort(follower, { sure: true });
    this.port = port;
    follower.stayWith(this.context);
    port.wake();
    const opened = openView(this.host, port, { session, view });
    this.view = opened;
    opened.store.state.subscribe(() => {
      if (opened === this.view) {
        this.changed(opened.store.state.value);
      }
    });
  }

  private changed(state: DebuggerState): void {
    if (this.stage === 'live') {
      this.keepPicture(state);
    } else if (state.session) {
      this.live(state.session.revision);
    } else if (state.port.state === 'closed' || state.notice) {
      this.leave();
      this.showPicture(this.opened ? `The session is not open any more. ${RUN_AGAIN}` : undefined);
    }
  }

  private live(revision: number): void {
    clearTimeout(this.timer);
    this.stage = 'live';
    this.pictured = revision;
    this.host.dataset['state'] = 'live';
    this.node.replaceChildren(...this.wayBack(), this.host);
    this.dropWidget();
    if (this.lacksPicture()) {
      this.timer = setTimeout(() => this.askPicture(), REST);
    }
  }

  /**
   * Where this output is drawn the widget is not needed. Saved, others who read the notebook would prefer it to
   * the picture: nbconvert if the widgets' state was saved as well, and VS Code, where it is an error message.
   */
  private dropWidget(): void {
    if (this.model && WIDGET in this.model.data) {
      const kept = Object.entries(this.model.data).filter(([type]) => type !== WIDGET);
      this.model.setData({ data: Object.fromEntries(kept) });
    }
  }

  /** From the session in the place of a still output to its picture. */
  private wayBack(): HTMLElement[] {
    if (!this.saved?.still) {
      return [];
    }
    const back = button(`Show step ${this.saved.position} again`, () => {
      this.opened = false;
      this.leave();
      this.come();
    });
    const bar = document.createElement('div');
    bar.className = 'vg-saved-back';
    bar.append(styles(), back);
    return [bar];
  }

  private leave(): void {
    clearTimeout(this.timer);
    this.stage = 'saved';
    this.view?.unmount();
    this.port?.dispose();
    this.view = this.port = null;
  }

  // --- the picture in the notebook ---

  /** The kernel left the picture of a larger graph out, so that the view is there sooner. */
  private lacksPicture(): boolean {
    return !this.saved?.still && svgIn(this.model?.data ?? {}) === '';
  }

  private keepPicture({ session, picture }: DebuggerState): void {
    const { model, saved } = this;
    if (saved?.still) {
      return; // the picture is of what the text around it speaks of
    }
    if (model && saved && picture && picture.saved !== saved && picture.session === saved.session) {
      this.save(model, { ...picture.saved, view: saved.view }, picture);
    }
    if (session && session.revision !== this.pictured) {
      this.pictured = session.revision;
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.askPicture(), REST);
    }
  }

  /** Not of a kernel that is busy: nobody is to wait for a picture. */
  private askPicture(): void {
    const { context, view } = this;
    if (context.session?.kernel?.status === 'idle' && !view?.store.state.value.moving) {
      view?.store.actions.askPicture(this.lacksPicture());
    } else if (this.stage === 'live') {
      this.timer = setTimeout(() => this.askPicture(), REST);
    }
  }

  private save(
    model: IRenderMime.IMimeModel,
    saved: SavedView,
    { svg, text }: { readonly svg: string; readonly text: string }
  ): void {
    const same = JSON.stringify(saved) === JSON.stringify(this.saved);
    if (svg === '' || (same && !this.lacksPicture())) {
      return;
    }
    const data = { ...model.data, [MIME]: { ...saved }, 'image/svg+xml': svg, 'text/plain': text };
    model.setData({ data });
  }
}
