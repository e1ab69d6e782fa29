/**
 * How far what arrived at a node on one branch is from what arrived on the other: as one of six steps of a
 * fixed scale, in a few letters and in words.
 */
import type { Difference } from '../../protocol';
import type { Compared } from '../../store';
import * as format from '../format';
import { isFolded } from './picture';
import type { Picture } from './picture';

/** 0: the same; 1 to 5: more and more; "odd": one is not finite, or was 0; "alone": only one has it. */
export type Step = 0 | 1 | 2 | 3 | 4 | 5 | 'odd' | 'alone';

export const STEPS: readonly Step[] = [0, 1, 2, 3, 4, 5, 'odd', 'alone'];

/** Relative differences at which the next step begins. */
export const BOUNDS: readonly number[] = [1e-4, 1e-2, 0.1, 1];

export interface Differs {
  readonly step: Step;
  /** What is written on its box, the first that there is room for. */
  readonly brief: readonly string[];
  readonly words: string;
}

export function stepOf({ relative, here, there }: Difference): Step | null {
  if (here === null && there === null) {
    return null;
  }
  if (here === null || there === null) {
    return 'alone';
  }
  if (relative === null || !Number.isFinite(relative)) {
    return 'odd';
  }
  return relative === 0 ? 0 : ((BOUNDS.filter(bound => relative >= bound).length + 1) as Step);
}

/** Null where no gradient arrived on either. */
export function differsIn(difference: Difference, compared: Compared): Differs | null {
  const { relative, here, there, what } = difference;
  const step = stepOf(difference);
  const norms = [`${format.brief(here)} → ${format.brief(there)}`, what].filter(Boolean).join(', ');
  const brief = `${format.brief(here)} → ${format.brief(there)}`;
  switch (step) {
    case null:
      return null;
    case 'alone': {
      const name = here === null ? compared.there : compared.here;
      return { step, brief: [`only ${name}`, 'only one'], words: `arrived only on ${name}` };
    }
    case 'odd':
      return {
        step,
        brief: [brief, `→ ${format.brief(there)}`, '≠'],
        words: `${beside(compared)}: ${norms}`
      };
    case 0:
      return { step, brief: ['same', '='], words: `same as on ${compared.here}` };
    default: {
      const by = percent(relative as number);
      const words = `differs by ${by} from ${compared.here}, ${norms}`;
      return { step, brief: [`Δ ${by}`, by], words };
    }
  }
}

/** Of the nodes `first` to `last - 1`: the one that differs most, which comes first, and how many do. */
export function differsWithin(
  first: number,
  last: number,
  differs: ReadonlyMap<number, Differs>
): Differs | null {
  let most: Differs | null = null;
  let count = 0;
  let all = 0;
  for (const [node, found] of differs) {
    if (first <= node && node < last) {
      all++;
      count += found.step === 0 ? 0 : 1;
      most = most === null || isMore(found, most) ? found : most;
    }
  }
  if (most === null || most.step === 0) {
    return most && { step: 0, brief: ['all the same', 'same'], words: 'all the same' };
  }
  const some = `${format.whole(count)} of ${format.whole(all)} differ`;
  const [brief = ''] = most.brief;
  return {
    step: most.step,
    brief: [`${some}, ${brief}`, some],
    words: `${some}, at most: ${most.words}`
  };
}

/** What a screen reader says when it is known, and what stands below the branches. */
export function summary({ nodes, total, unfinished }: Compared): string {
  if (total === 0) {
    return unfinished === ''
      ? 'no node has run on both yet. Continue to compare'
      : `${unfinished} has not run these nodes`;
  }
  const count = [...nodes.values()].filter(each => (stepOf(each) ?? 0) !== 0).length;
  const told = nodes.size < total && count === nodes.size ? 'more than ' : '';
  return `${told}${format.whole(count)} of ${format.count(total, 'node')} differ`;
}

/** The nodes that differ. */
export function differing({ nodes }: Compared): readonly number[] {
  return [...nodes].flatMap(([node, each]) => ((stepOf(each) ?? 0) === 0 ? [] : [node]));
}

/** The node that differs most, if one does. */
export function mostOf({ nodes }: Compared): Difference | null {
  const [first] = [...nodes.values()].sort((a, b) => rank(stepOf(b)) - rank(stepOf(a)));
  return first && (stepOf(first) ?? 0) !== 0 ? first : null;
}

/** "12 %", "35 times", "3e-7". */
export function percent(relative: number): string {
  if (relative >= 10) {
    return `${format.brief(relative)}×`;
  }
  return relative >= 1e-4 ? `${format.brief(relative * 100)} %` : format.brief(relative);
}

/** What a step means, for the legend. */
export function stepText(step: Step): string {
  switch (step) {
    case 0:
      return 'the same';
    case 'odd':
      return 'NaN, Inf or 0 on one side';
    case 'alone':
      return 'a gradient on one side only';
    default: {
      const low = BOUNDS[step - 2];
      const high = BOUNDS[step - 1];
      const from = low === undefined ? '' : percent(low);
      return high === undefined
        ? `${from} and more`
        : from === ''
          ? `below ${percent(high)}`
          : `${from} to ${percent(high)}`;
    }
  }
}

/** For the style sheet; undefined where nothing is compared. */
export function differsName(differs: Differs | null | undefined): string | undefined {
  return differs === undefined ? undefined : differs === null ? 'none' : `${differs.step}`;
}

/** How what is drawn differs: nodes by number, closed groups and frames by their places in the drawing. */
export interface Drawn {
  readonly nodes: ReadonlyMap<number, Differs>;
  readonly boxes: ReadonlyMap<number, Differs>;
  readonly frames: ReadonlyMap<number, Differs>;
}

export function differsDrawn({ drawing, groups }: Picture, compared: Compared): Drawn {
  const nodes = new Map<number, Differs>();
  for (const difference of compared.nodes.values()) {
    const found = differsIn(difference, compared);
    if (found) {
      nodes.set(difference.node, found);
    }
  }
  const boxes = new Map<number, Differs>();
  drawing.boxes.forEach((box, index) => {
    const found = isFolded(box) && differsWithin(box.first, box.last, nodes);
    if (found) {
      boxes.set(index, found);
    }
  });
  const frames = new Map<number, Differs>();
  drawing.frames.forEach(({ group }, index) => {
    const around = groups.get(group);
    const found = around && differsWithin(around.first, around.last, nodes);
    if (found) {
      frames.set(index, found);
    }
  });
  return { nodes, boxes, frames };
}

function beside({ here, there }: Compared): string {
  return `${here} → ${there}`;
}

function isMore(a: Differs, b: Differs): boolean {
  return rank(a.step) > rank(b.step);
}

/** What is not finite is louder than what only one has. */
function rank(step: Step | null): number {
  return step === null ? -1 : step === 'odd' ? 7 : step === 'alone' ? 6 : step;
}
