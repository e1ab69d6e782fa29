/**
 * An output that shows the course of a training: its picture, and on it a line that is moved over the steps with the
 * pointer or the keys. A step that is chosen says what was measured there, and how to debug its backward; a click, or
 * Enter, opens that backward if it was kept.
 */
import type { IRenderMime } from '@jupyterlab/rendermime-interfaces';
import { Widget } from '@lumino/widgets';

import style from '../../style/course.raw.css';
import {
  altText,
  keptAt,
  layerText,
  magicAt,
  markedSteps,
  readCourse,
  shareOf,
  stepAt,
  stepText
} from './course';
import type { Course, Layer, Optimizer } from './course';
import { button, made } from './draw';
import { addressOf, pictureOf, plainText } from './saved';

/** By how many steps a key moves the line. */
const MOVES: Readonly<Record<string, number>> = {
  ArrowLeft: -1,
  ArrowRight: 1,
  PageUp: -10,
  PageDown: 10,
  Home: -Infinity,
  End: Infinity
};

const POINT = 'Point at the curves, or use the arrow keys, to read a step.';
const KEEP = 'Click to keep this step.';

/** No narrower, of its own width: its smallest letters stay legible, and what has no room is scrolled. */
const LEAST_SCALE = 0.85;

export class CourseOutput extends Widget implements IRenderMime.IRenderer {
  private course: Course | null = null;
  /** The picture of the first layers, or of those that findings name. */
  private folded = '';
  private unfolded = false;
  private readonly image = document.createElement('img');
  private readonly stage = made('div', '', 'vg-course-stage');
  private readonly room = made('div', '', 'vg-course-room');
  private readonly more = button('', () => this.unfold());
  private readonly said = made('div', '', 'vg-course-said');
  private tracks: Track[] = [];

  constructor() {
    super();
    this.addClass('vg-course');
    this.more.classList.add('vg-course-more');
    this.room.append(this.stage);
    this.node.replaceChildren(made('style', style), this.room, this.more, this.said);
  }

  renderModel(model: IRenderMime.IMimeModel): Promise<void> {
    const course = readCourse(model.data);
    const address = pictureOf(model.data);
    if (!course || !address) {
      this.node.replaceChildren(made('pre', plainText(model.data)));
      return Promise.resolve();
    }
    this.course = course;
    this.folded = address;
    this.image.alt = altText(course);
    this.image.width = course.width;
    this.stage.style.maxWidth = `${course.width}px`;
    this.stage.style.minWidth = `${Math.round(course.width * LEAST_SCALE)}px`;
    if (this.tracks.length !== course.optimizers.length) {
      const open = (): void => this.said.querySelector<HTMLElement>('.vg-course-open')?.click();
      this.tracks = course.optimizers.map(
        () => new Track((track, by) => this.chosen(track, by), open)
      );
      this.stage.replaceChildren(this.image, ...this.tracks.map(track => track.node));
    }
    this.draw();
    return Promise.resolve();
  }

  private unfold(): void {
    this.unfolded = !this.unfolded;
    this.draw();
  }

  /** The picture, and the tracks over it. */
  private draw(): void {
    const { course, more } = this;
    if (!course) {
      return;
    }
    const all = this.unfolded ? course.all : undefined;
    this.image.src = all ? addressOf(all.svg) : this.folded;
    more.hidden = !course.all;
    more.textContent = moreText(course, this.unfolded);
    more.setAttribute('aria-expanded', String(this.unfolded));
    const picture: Picture = all
      ? { height: all.height, y: layer => layer.all }
      : { height: course.height, y: layer => layer.y };
    this.tracks.forEach((track, nr) => {
      const optimizer = course.optimizers[nr];
      if (optimizer) {
        track.show(course, optimizer, picture);
      }
    });
    const [first] = course.optimizers;
    if (first && this.tracks.every(({ at }) => at === null)) {
      this.say(course, first, first.steps.length - 1, [made('p', POINT)]);
    }
  }

  /**
   * What was measured at a step, and what can be done there. It takes the same room for each step and before one is
   * chosen: the page would scroll, and the picture move away from the pointer.
   */
  private say(course: Course, optimizer: Optimizer, at: number, ways: HTMLElement[]): void {
    const title = made('p', `${optimizer.title}, ${stepText(course, optimizer, at)}.`);
    title.className = 'vg-course-step';
    const act = made('div', '', 'vg-course-ways');
    act.style.setProperty('--vg-ways', course.kept ? '2' : '1');
    act.append(...ways);
    const list = made('ul', '', 'vg-course-layers');
    list.append(...optimizer.layers.map(layer => made('li', layerText(layer, at))));
    const rows = Math.max(...course.optimizers.map(({ layers }) => layers.length));
    list.style.setProperty('--vg-rows', String(rows));
    list.tabIndex = 0; // many are scrolled, by keys, too
    list.setAttribute('aria-label', 'Layers at this step');
    const note = course.note ? [made('p', course.note)] : [];
    this.said.replaceChildren(...note, title, act, list);
  }

  /** A step was chosen on this track; `kept`: by a click or a key, and not by a pointer that passes over. */
  private chosen(track: Track, kept: boolean): void {
    const { course } = this;
    const { optimizer, at } = track;
    if (!course || !optimizer || at === null) {
      return;
    }
    this.tracks.filter(each => each !== track).forEach(each => each.leave());
    const backward = optimizer.backwards[at] ?? 0;
    const opened = keptAt(course, optimizer, at);
    const ways = [
      ...(opened === null ? [] : [this.open(opened)]),
      ...(backward > 0 && course.again !== false ? [this.way(backward)] : [])
    ];
    this.say(course, optimizer, at, kept ? ways : [made('p', KEEP)]);
    const offered = this.said.querySelector('.vg-course-open'); // heard as the click on it
    offered?.dispatchEvent(new CustomEvent('vizgrad-offered', { bubbles: true }));
  }

  /** The trace of a backward that was kept: the kernel has it. */
  private open(backward: number): HTMLElement {
    const way = made('p', '', 'vg-course-kept');
    const open = button(`Open backward ${backward}`, () => undefined); // heard by the plugin that can
    open.classList.add('vg-course-open');
    open.dataset['session'] = `${this.course?.kept?.block ?? ''}:${backward}`;
    const said = made('span', '');
    said.setAttribute('role', 'status');
    way.append(open, said);
    return way;
  }

  /** How to come to a backward: its graph is gone, so the cell is run again. */
  private way(backward: number): HTMLElement {
    const magic = magicAt(backward);
    const way = made(
      'p',
      `To debug backward ${backward}, run the cell again with `,
      'vg-course-way'
    );
    const copied = made('span', '');
    copied.setAttribute('role', 'status');
    const copy = button('Copy', () => {
      void navigator.clipboard.writeText(magic).then(
        () => (copied.textContent = ' Copied.'),
        () => (copied.textContent = ' The browser does not allow copying.')
      );
    });
    copy.setAttribute('aria-label', `Copy ${magic}`);
    const there = button('Make the cell', () => undefined); // heard by the plugin that can
    there.classList.add('vg-course-there');
    there.dataset['at'] = String(backward);
    there.dataset['cell'] = this.course?.cell ?? '';
    way.append(made('code', magic), ' ', copy, there, copied);
    return way;
  }
}

/** The picture that is shown: where a layer is in it; null: it is folded. */
interface Picture {
  readonly height: number;
  readonly y: (layer: Layer) => number | null;
}

function moreText({ optimizers }: Course, unfolded: boolean): string {
  const layers = optimizers.flatMap(each => each.layers);
  const shown = layers.filter(({ y }) => y !== null).length;
  return unfolded ? `Show only ${shown} layers` : `Show all ${layers.length} layers`;
}

/** The plots of one optimizer: a slider over its steps. */
class Track {
  readonly node = made('div', '', 'vg-course-track');
  optimizer: Optimizer | null = null;
  at: number | null = null;
  private course: Course | null = null;
  private picture: Picture | null = null;
  private kept = false;

  /** `open` opens the backward of the step that was chosen. */
  constructor(
    private readonly chosen: (track: Track, kept: boolean) => void,
    private readonly open: () => void
  ) {
    const { node } = this;
    node.tabIndex = 0;
    node.setAttribute('role', 'slider');
    node.addEventListener('keydown', event => this.key(event));
    node.addEventListener('click', event => {
      this.point(event, true);
      this.open();
    });
    node.addEventListener('pointermove', event => this.kept || this.point(event, false));
    node.addEventListener(
      'focus',
      () => this.at ?? this.move((this.optimizer?.steps.length ?? 1) - 1, true)
    );
  }

  show(course: Course, optimizer: Optimizer, picture: Picture): void {
    // Steps are thinned out while a loop runs: the line stays at its step.
    const step = this.at === null ? null : this.optimizer?.steps[this.at];
    this.course = course;
    this.optimizer = optimizer;
    this.picture = picture;
    if (step !== null && step !== undefined) {
      const later = optimizer.steps.findIndex(each => each >= step);
      this.at = later < 0 ? optimizer.steps.length - 1 : later;
    }
    this.draw();
  }

  leave(): void {
    this.at = null;
    this.kept = false;
    this.draw();
  }

  private key(event: KeyboardEvent): void {
    const { course, optimizer } = this;
    if (!course || !optimizer || event.ctrlKey || event.metaKey || event.altKey) {
      return;
    }
    const now = this.at ?? 0;
    const by = MOVES[event.key];
    if (by !== undefined) {
      this.move(now + by, true);
    } else if (event.key === 'n' || event.key === 'N') {
      const marked = markedSteps(course, optimizer);
      this.move(marked.find(each => each > now) ?? marked[0] ?? now, true);
    } else if (event.key === 'Enter') {
      this.open();
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }

  private point(event: MouseEvent, kept: boolean): void {
    const { course, optimizer, node } = this;
    if (!course || !optimizer) {
      return;
    }
    const { left, width } = node.getBoundingClientRect();
    const first = course.plots[0]?.[0] ?? 0;
    const scale = course.width / (width * this.ofPicture());
    const x = (event.clientX - left) * scale + first;
    const plot = course.plots.findLast(([from = 0]) => x >= from) ?? course.plots[0];
    const [from = 0, wide = 1] = plot ?? [];
    this.move(stepAt(optimizer, Math.min(1, (x - from) / wide)), kept);
  }

  /** The picture is so many times as wide as the plots. */
  private ofPicture(): number {
    const { course } = this;
    return course ? course.width / span(course) : 1;
  }

  private move(to: number, kept: boolean): void {
    const most = (this.optimizer?.steps.length ?? 1) - 1;
    const at = Math.min(most, Math.max(0, to));
    if (at === this.at && kept === this.kept) {
      return;
    }
    this.at = at;
    this.kept = kept;
    this.draw();
    this.chosen(this, kept);
  }

  private draw(): void {
    const { course, optimizer, picture, node, at } = this;
    const rows = (optimizer?.layers ?? []).flatMap(layer => picture?.y(layer) ?? []);
    if (!course || !optimizer || !picture || rows.length === 0) {
      node.hidden = true;
      return;
    }
    node.hidden = false;
    const [first = 0, , height = 0] = course.plots[0] ?? [];
    const top = rows[0] ?? 0;
    const bottom = (rows.at(-1) ?? 0) + height;
    const percent = (part: number, whole: number): string => `${(100 * part) / whole}%`;
    node.style.left = percent(first, course.width);
    node.style.width = percent(span(course), course.width);
    node.style.top = percent(top, picture.height);
    node.style.height = percent(bottom - top, picture.height);
    node.setAttribute('aria-label', `Steps of ${optimizer.title}`);
    node.setAttribute('aria-valuemin', String(optimizer.steps[0]));
    node.setAttribute('aria-valuemax', String(optimizer.steps.at(-1)));
    const now = at ?? optimizer.steps.length - 1;
    node.setAttribute('aria-valuenow', String(optimizer.steps[now]));
    node.setAttribute('aria-valuetext', stepText(course, optimizer, now));
    const lines = course.plots.map(([from = 0, wide = 0]) => {
      const line = made('span', '', 'vg-course-line');
      line.style.left = percent(from - first + shareOf(optimizer, now) * wide, span(course));
      return line;
    });
    node.replaceChildren(...(at === null ? [] : lines));
  }
}

/** From the left edge of the first plot to the right edge of the last. */
function span({ plots }: Course): number {
  const [first = 0] = plots[0] ?? [];
  const [last = 0, wide = 0] = plots.at(-1) ?? [];
  return last + wide - first;
}
