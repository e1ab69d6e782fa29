/** A collective that the run has called: what it carried between which ranks, and who was waited for. */
import type { JSX } from 'preact';

import type { DrawnBox, DrawnCollective, RankCall } from '../../protocol';
import { memo } from '../memo';
import { PADDING } from './card';
import { RankStrip } from './RankStrip';
import type { TextMetrics } from './text';
import type { Detail } from './viewport';

/** How much of each corner is cut. */
const CUT = 7;

export interface CollectiveBoxProps {
  readonly box: DrawnBox;
  readonly called: DrawnCollective;
  /** So many steps are done. */
  readonly position: number;
  readonly ranks: RankCall | null;
  readonly detail: Detail;
  readonly metrics: TextMetrics;
  readonly selected: boolean;
  readonly focusable: boolean;
  readonly level: number;
}

type CallState = 'undone' | 'begun' | 'failed' | 'done';

/** Where a collective stands when so many steps are done. */
export function callState({ step, end, failed }: DrawnCollective, position: number): CallState {
  if (position <= step) {
    return 'undone';
  }
  return end === null || position <= end ? 'begun' : failed ? 'failed' : 'done';
}

/** What its last line says there. */
export function callText(called: DrawnCollective, position: number): string {
  const state = callState(called, position);
  if (state === 'undone') {
    return 'its step was taken back';
  }
  return (state === 'begun' ? called.begun : called.rows.at(-1)) ?? '';
}

/** The two lines below its name: the text takes both where it is too long for one. */
export function callLines(
  size: string,
  text: string,
  fits: (text: string) => boolean
): readonly [{ readonly text: string; readonly isSize: boolean }, string] {
  if (fits(text)) {
    return [{ text: size, isSize: true }, text];
  }
  const words = text.split(' ');
  let count = words.length - 1;
  while (count > 1 && !fits(words.slice(0, count).join(' '))) {
    count -= 1;
  }
  const first = words.slice(0, count).join(' ');
  return [{ text: first, isSize: false }, words.slice(count).join(' ')];
}

function CollectiveBoxInner(props: CollectiveBoxProps): JSX.Element {
  const { box, called, position, ranks, metrics } = props;
  const { width, height } = box;
  const [name = '', size = ''] = called.rows;
  const text = callText(called, position);
  const spoken = [name, size, text, ranks?.text ?? ''].filter(Boolean);
  const room = width - 2 * PADDING;
  const [upper, lower] = callLines(size, text, line => metrics.width(line, 'sub') <= room);
  return (
    <g
      class="vg-collective"
      role="treeitem"
      aria-label={spoken.join(', ')}
      aria-level={props.level}
      aria-selected={props.selected}
      tabindex={props.focusable ? 0 : -1}
      data-key={box.key}
      data-call={callState(called, position)}
      transform={`translate(${box.x},${box.y})`}
    >
      <g aria-hidden="true">
        <title>{[...called.details, ranks?.text ?? ''].filter(Boolean).join('\n')}</title>
        <rect class="vg-ring" x={-4} y={-4} width={width + 8} height={height + 8} rx={8} />
        <path class="vg-box" d={outline(width, height)} />
        {ranks && <RankStrip cells={ranks.cells} width={width} top={height} />}
        {props.detail === 'full' ? (
          <>
            <text class="vg-name" x={PADDING} y={17}>
              {metrics.fit(name, room, 'name')}
            </text>
            <text class={`vg-sub${upper.isSize ? '' : ' vg-call-waits'}`} x={PADDING} y={32}>
              {metrics.fit(upper.text, room, 'sub')}
            </text>
            <text class="vg-sub vg-call-waits" x={PADDING} y={46}>
              {metrics.fit(lower, room, 'sub')}
            </text>
          </>
        ) : (
          <text class="vg-name" x={PADDING} y={height / 2 + 6}>
            {metrics.fit(name, room, 'name')}
          </text>
        )}
      </g>
    </g>
  );
}

function outline(width: number, height: number): string {
  const [right, low] = [width - CUT, height - CUT];
  return `M${CUT},0H${right}L${width},${CUT}V${low}L${right},${height}H${CUT}L0,${low}V${CUT}Z`;
}

export const CollectiveBox = memo(CollectiveBoxInner);
