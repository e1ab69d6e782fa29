/**
 * An open group: a frame around its boxes, with a title that closes it. Of a group of equal cells it
 * says which is shown, leads to the others, and compares them all. Cells are counted as they were
 * recorded, as their titles are: the last of them runs first.
 */
import type { JSX } from 'preact';

import type { DrawnFrame, Group, Tally } from '../../protocol';
import { memo } from '../memo';
import { Curve } from './Curve';
import { ARROW, HEAD, headText, SIGN } from './frameHead';
import { trendText } from './norms';
import { differsName } from './differing';
import type { Differs } from './differing';
import { heatName } from './heat';
import type { Heat } from './heat';
import { frameKey } from './picture';
import { concerns, groupState, progressText } from './tally';
import type { TextMetrics } from './text';

const CURVE_LEAST = 60;
const CURVE_MOST = 240;

interface FrameBoxProps {
  readonly frame: DrawnFrame;
  readonly tally: Tally;
  readonly current: boolean;
  readonly depth: number;
  /** How large the gradient that came is, where that is what colours say. */
  readonly heat: Heat | null | undefined;
  /** Where branches are compared: the node in it at which they differ most. */
  readonly differs: Differs | null | undefined;
}

function FrameBoxInner({
  frame,
  tally,
  current,
  depth,
  heat,
  differs
}: FrameBoxProps): JSX.Element {
  return (
    <g
      class={`vg-cluster${tally.nonfinite > 0 ? ' vg-nonfinite' : ''}`}
      data-frame={frame.group}
      data-depth={depth % 2}
      data-group-state={groupState(tally, current)}
      data-heat={heatName(heat)}
      data-differs={differsName(differs)}
      transform={`translate(${frame.x},${frame.y})`}
      aria-hidden="true"
    >
      <rect class="vg-frame" width={frame.width} height={frame.height} rx={9} />
    </g>
  );
}

interface FrameHeadProps extends FrameBoxProps {
  readonly group: Group;
  readonly breakpoints: number;
  readonly metrics: TextMetrics;
  readonly focusable: boolean;
}

/** What is written on the frame: above the lines that cross it. */
function FrameHeadInner(props: FrameHeadProps): JSX.Element {
  const { frame, group, tally, metrics } = props;
  const { cells, title } = group;
  const { title: shown, counter, counterRoom, right } = headText(frame, group, metrics);
  const key = frameKey(frame.group);
  const chosen = frame.cell;
  const curve = tally.norms.length > 1;
  const left = frame.title_left;
  const free = frame.curve_room;
  const plot = Math.min(free, CURVE_MOST);
  const spoken = [
    title,
    'open group',
    progressText(tally),
    props.differs?.words ?? '',
    ...concerns(tally, props.breakpoints),
    counter && `cell ${counter}`,
    curve ? trendText(tally.norms, cells) : ''
  ];
  return (
    <g class="vg-head-of-frame" transform={`translate(${frame.x},${frame.y})`}>
      {curve && free >= CURVE_LEAST && (
        <g transform={`translate(${frame.curve_left + free - plot},${(HEAD - 16) / 2})`}>
          <Curve norms={tally.norms} cells={cells} width={plot} height={17} metrics={metrics} />
        </g>
      )}
      <g class="vg-sticky">
        <rect
          class="vg-head-ground"
          x={left - 6}
          y={1}
          width={right + counterRoom - left + 8}
          height={HEAD - 1}
          rx={5}
        />
        <g
          class="vg-cluster-title"
          role="treeitem"
          aria-expanded={true}
          aria-level={props.depth + 1}
          aria-label={spoken.filter(Boolean).join(', ')}
          tabindex={props.focusable ? 0 : -1}
          data-toggle={key}
          data-key={key}
        >
          <title>{[...spoken.filter(Boolean), '(click or Enter closes)'].join('\n')}</title>
          <rect x={left - 4} y={2} width={right - left + 4} height={HEAD - 3} rx={4} />
          <path d={`M${left} 12.5h9`} />
          <text x={left + SIGN} y={17}>
            {shown}
          </text>
        </g>
        {chosen !== null && (
          <g class="vg-cells" transform={`translate(${right},2)`}>
            <Turn
              group={group.id}
              cell={chosen + 1}
              of={cells}
              label="Previous cell ([)"
              left={0}
            />
            <text x={ARROW + 3} y={14}>
              {counter}
            </text>
            <Turn
              group={group.id}
              cell={chosen - 1}
              of={cells}
              label="Next cell (])"
              left={counterRoom - ARROW - 2}
            />
          </g>
        )}
      </g>
    </g>
  );
}

interface TurnProps {
  readonly group: number;
  readonly cell: number;
  readonly of: number;
  readonly label: string;
  readonly left: number;
}

/** To the cell beside: a button for the mouse; the keyboard has [ and ]. */
function Turn({ group, cell, of, label, left }: TurnProps): JSX.Element {
  const possible = 0 <= cell && cell < of;
  const forward = label.startsWith('Next');
  return (
    <g
      class="vg-turn"
      role="button"
      aria-label={label}
      aria-disabled={!possible}
      data-cell={possible ? `${group} ${cell}` : undefined}
      transform={`translate(${left},0)`}
    >
      <title>{label}</title>
      <rect width={ARROW} height={20} rx={4} />
      <path d={forward ? 'M7 5.5l5 4.5-5 4.5' : 'M11 5.5l-5 4.5 5 4.5'} />
    </g>
  );
}

export const FrameBox = memo(FrameBoxInner);
export const FrameHead = memo(FrameHeadInner);
