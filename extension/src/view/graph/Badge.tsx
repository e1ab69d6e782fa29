/** The state of a node at the right of a line: as a sign, and in words where there is room. */
import type { JSX } from 'preact';

import type { NodeRun } from '../../protocol';
import * as format from '../format';
import { StateShape } from '../Icons';
import type { TextMetrics } from './text';

const SIGN = 13;
/** Between the sign and the words, where there is room for it. */
const GAP = 3;

interface BadgeProps {
  readonly run: NodeRun;
  readonly running: format.Running;
  readonly odd: boolean;
  /** What it made that is not finite: that is said before all else. */
  readonly made?: number | null;
  /** What has come to it that is not finite. */
  readonly got: number | null;
  /** Said instead of how it stands, the first that there is room for. */
  readonly instead?: readonly string[] | undefined;
  /** Where the line ends and how much of it is free. */
  readonly right: number;
  readonly room: number;
  readonly y: number;
  readonly metrics: TextMetrics;
}

/** How much of a line the sign alone takes. */
export const BADGE_LEAST = SIGN + 6;

export function Badge({
  run,
  running,
  odd,
  made = null,
  got,
  instead,
  right,
  room,
  y,
  metrics
}: BadgeProps): JSX.Element {
  const width = (text: string): number => SIGN + metrics.width(text, odd ? 'strong' : 'sub');
  const texts =
    instead ??
    (made !== null
      ? madeWords(run, made)
      : got !== null && run.order === null
        ? [`got ${format.brief(got)}`, format.brief(got)]
        : [format.nodeBrief(run, running), ...shorter(run), shortest(run)]);
  const words = texts.find(text => text !== '' && width(text) <= room);
  const taken = words ? width(words) : SIGN;
  const left = right - taken - (words ? Math.min(GAP, room - taken) : 0);
  return (
    <>
      <g class="vg-state" transform={`translate(${left},${y - 9.5}) scale(0.72)`}>
        <StateShape
          state={format.drawnState(run, running)}
          share={run.needed ? run.delivered / run.needed : 0}
          wrong={odd || made !== null}
        />
      </g>
      {words && (
        <text class="vg-sub vg-words" x={right} y={y} text-anchor="end">
          {words}
        </text>
      )}
    </>
  );
}

function madeWords({ order }: NodeRun, made: number): readonly string[] {
  const words = `made ${format.brief(made)}`;
  return [
    order === null ? words : `#${format.whole(order + 1)} ${words}`,
    words,
    format.brief(made)
  ];
}

function shorter({ state, order, grad_norm, tangents }: NodeRun): readonly string[] {
  if (state !== 'done' || order === null) {
    return [];
  }
  const norm = grad_norm === null ? '∅' : format.brief(grad_norm);
  const text = `#${format.whole(order + 1)}  ${norm}`;
  return tangents.length > 0
    ? [`${text}${format.sizes(tangents)}`, `${text} ${'↓'.repeat(tangents.length)}`]
    : [text];
}

/** What the sign does not say: how many have arrived, or how large the gradient was. */
function shortest({ state, delivered, needed, grad_norm, tangents }: NodeRun): string {
  switch (state) {
    case 'waiting':
      return needed > 0 ? `${delivered}/${needed}` : '';
    case 'done':
      return `${grad_norm === null ? '∅' : format.brief(grad_norm)}${'↓'.repeat(tangents.length)}`;
    default:
      return '';
  }
}
