import { describe, expect, test } from 'vitest';

import { namesOf, plainView, RECORDINGS } from '../../tests/recordings';
import type { RecordedView, Recording } from '../../tests/recordings';
import { folded, told } from '../../tests/standings';
import type { Name, Standing, StepRecord } from '../protocol';
import { DoesNotFollow, Fold } from './fold';
import { Names } from './names';

/** A fold that begins where a standing was told, and what becomes of it. */
class Follower {
  readonly fold: Fold;
  private readonly names = new Names();
  private readonly records: readonly StepRecord[];

  constructor(
    private readonly recording: Recording,
    private readonly view: RecordedView,
    standing: Standing
  ) {
    const { drawing } = view;
    this.records = recording.updates.flatMap(update => update.records);
    this.names.learn(standing.names);
    this.fold = new Fold(drawing, standing, this.names);
  }

  /** As updates do it: names come with the records. */
  go(position: number): void {
    const { fold, records } = this;
    while (fold.position < position) {
      this.hear(fold.position);
      fold.apply(records[fold.position] as StepRecord);
    }
    while (fold.position > position) {
      this.hear(fold.position - 1);
      fold.unapply(records[fold.position - 1] as StepRecord);
    }
  }

  private hear(index: number): void {
    this.names.learn(this.recording.updates[index]?.names ?? []);
  }

  get shown(): unknown {
    return folded(this.fold, this.view.drawing);
  }
}

function forth(from: number, to: number): readonly number[] {
  return Array.from({ length: to - from + 1 }, (_, i) => from + i);
}

function back(from: number): readonly number[] {
  return forth(0, from).toReversed();
}

const views = Object.entries(RECORDINGS).flatMap(([name, recording]) =>
  recording.views.map((view, number) => ({ name: `${name} ${number}`, recording, view }))
);

describe.each(views)('$name', ({ recording, view }) => {
  const { drawing, standings } = view;
  const length = recording.updates.length;
  const first = standings.get(0) as Standing;

  test('folds to what the session told, there, back and there again', () => {
    const follower = new Follower(recording, view, first);
    let compared = 0;
    for (const position of [...forth(0, length), ...back(length), ...forth(0, length)]) {
      follower.go(position);
      const standing = standings.get(position);
      if (standing) {
        expect(follower.shown, `at ${position}`).toEqual(told(standing, drawing));
        compared++;
      }
    }
    expect(compared).toBeGreaterThan(9);
  });

  test('goes on from wherever the view looked, back to the start and to the end', () => {
    for (const standing of standings.values()) {
      const follower = new Follower(recording, view, standing);
      const { position } = standing;
      for (const other of [...back(position), ...forth(0, length)]) {
        follower.go(other);
        const there = standings.get(other);
        if (there) {
          expect(follower.shown, `from ${position} to ${other}`).toEqual(told(there, drawing));
        }
      }
    }
  });

  test('refuses what does not follow, and changes nothing', () => {
    const follower = new Follower(recording, view, first);
    const records = recording.updates.flatMap(update => update.records);
    const [one, two, three] = records as [StepRecord, StepRecord, StepRecord];
    follower.go(1);
    const before = JSON.stringify(follower.shown);
    for (const record of [one, three]) {
      expect(() => follower.fold.apply(record)).toThrow(DoesNotFollow);
    }
    expect(() => follower.fold.unapply(two)).toThrow(DoesNotFollow);
    expect(JSON.stringify(follower.shown)).toBe(before);
  });
});

test('what a step does not concern keeps its object', () => {
  const recording = RECORDINGS.mlp;
  const view = plainView(recording);
  const follower = new Follower(recording, view, view.standings.get(0) as Standing);
  const { fold } = follower;
  const nodes = (): readonly unknown[] => view.drawing.nodes.map(({ id }) => fold.node(id));
  const frames = (): readonly unknown[] => view.drawing.frames.map((_, i) => fold.frame(i));
  const before = [nodes(), frames()] as const;
  follower.go(1);
  const [ran, next] = [0, recording.updates[0]?.records[0]?.current as number];
  const changed = view.drawing.nodes.filter((_, i) => nodes()[i] !== before[0][i]);
  expect(changed.map(({ id }) => id)).toEqual([ran, next]);
  const around = view.drawing.frames.filter((_, i) => frames()[i] !== before[1][i]);
  const groups = new Map(view.drawing.groups.map(group => [group.id, group]));
  expect(around.map(({ group }) => groups.get(group)?.first)).toEqual(around.map(() => ran));
  expect(around.length).toBeLessThan(view.drawing.frames.length);
});

test('of a node that is not drawn it is known what was told since', () => {
  const recording = RECORDINGS.loop;
  const [, closed] = recording.views as [RecordedView, RecordedView];
  const follower = new Follower(recording, closed, closed.standings.get(0) as Standing);
  const hidden = recording.updates
    .map(({ records }) => records[0]?.visit.node as number)
    .filter(node => !follower.fold.draws(node));
  const [one, two] = hidden as [number, number];
  expect([one, two].map(node => follower.fold.knows(node))).toEqual([false, false]);
  follower.go(hidden.length);
  expect(follower.fold.knows(one)).toBe(true);
  expect(follower.fold.node(one).order).not.toBeNull();
  const { needed, delivered } = follower.fold.node(one);
  expect(needed).toBe((namesOf(recording).get(one) as Name).needed);
  expect(delivered).toBe(needed);
  follower.go(0);
  expect(follower.fold.knows(one)).toBe(true);
  expect(follower.fold.node(one)).toMatchObject({ order: null, delivered: 0 });
});
