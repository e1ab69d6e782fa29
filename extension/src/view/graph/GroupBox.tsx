/** A folded group: one box for a stretch of nodes, with how far they are. */
import type { JSX } from 'preact';

import type { NodeState } from '../../protocol';
import type { SessionState } from '../../store';
import * as format from '../format';
import { StateShape } from '../Icons';
import type { Box } from '../layout/types';
import { memo } from '../memo';
import type { Group } from './scopes';
import { farScale, TEXT_LEFT } from './sizes';
import type { TextMetrics } from './text';
import type { Detail } from './viewport';
import type { GroupItem } from './visible';

/** What a group's box shows of its nodes; a plain value, so that equal ones can be told. */
export interface GroupSummary {
  readonly state: NodeState;
  readonly done: number;
  readonly stale: number;
  readonly breakpoints: number;
}

const URGENT: readonly NodeState[] = ['error', 'current', 'ready', 'waiting'];

export function summarize(
  { nodes, leaves }: Pick<GroupItem, 'nodes' | 'leaves'>,
  { fold, saved }: SessionState,
  breakpoints: ReadonlySet<number>
): GroupSummary {
  const states = new Set<NodeState>();
  const anyStale = saved.count('stale') > 0;
  let done = 0;
  let stale = 0;
  let marked = 0;
  for (const node of nodes) {
    const state = fold.state(node);
    states.add(state);
    done += state === 'done' ? 1 : 0;
    stale += anyStale && saved.of(node).some(value => value.state === 'stale') ? 1 : 0;
    marked += breakpoints.has(node) ? 1 : 0;
  }
  for (const leaf of leaves) {
    const state = fold.state(leaf);
    if (state !== 'waiting') {
      states.add(state); // One that waits may wait for something outside.
    }
  }
  const urgent = URGENT.find(state => states.has(state));
  const state = urgent ?? (done > 0 ? 'done' : states.has('captured') ? 'captured' : 'skipped');
  return { state, done, stale, breakpoints: marked };
}

interface GroupBoxProps extends GroupSummary {
  readonly itemKey: string;
  readonly group: Group;
  readonly size: number;
  readonly box: Box;
  readonly detail: Detail;
  readonly metrics: TextMetrics;
  readonly selected: boolean;
  readonly focusable: boolean;
  readonly match: boolean;
}

function GroupBoxInner(props: GroupBoxProps): JSX.Element {
  const { group, box, detail, metrics, state, done, size, stale } = props;
  const progress = `${done} of ${format.count(size, 'node')} done`;
  const extra = [
    stale ? `${stale} with stale values` : '',
    props.breakpoints ? format.count(props.breakpoints, 'breakpoint') : ''
  ].filter(Boolean);
  const { width, height } = box;
  const room = width - TEXT_LEFT - (detail === 'full' ? 30 : 8);
  const scale = detail === 'name' ? farScale(metrics.width(group.title, 'name'), room) : 1;
  return (
    <g
      class={`vg-group${props.match ? ' vg-match' : ''}`}
      role="treeitem"
      aria-label={[group.title, 'group', progress, ...extra].join(', ')}
      aria-expanded={false}
      aria-selected={props.selected}
      tabindex={props.focusable ? 0 : -1}
      data-key={props.itemKey}
      data-group-state={state}
      transform={`translate(${box.x},${box.y})`}
    >
      <title>{`${group.path.join(' › ')} (double click or Enter opens)`}</title>
      <rect class="vg-ring" x={-4} y={-4} width={width + 8} height={height + 8} rx={12} />
      <rect class="vg-shadow" x={4} y={4} width={width} height={height} rx={8} />
      <rect class="vg-box" width={width} height={height} rx={8} />
      {detail === 'shape' ? (
        <g
          class="vg-state"
          transform={`translate(${width / 2 - 18},${height / 2 - 18}) scale(2.2)`}
        >
          <StateShape state={state} />
        </g>
      ) : (
        <>
          <g class="vg-state" transform="translate(10,9)">
            <StateShape state={state} />
          </g>
          <text
            class="vg-name"
            x={TEXT_LEFT}
            y={21}
            style={scale > 1 ? { fontSize: `${12 * scale}px` } : undefined}
          >
            {metrics.fit(group.title, room, 'name')}
          </text>
        </>
      )}
      {detail === 'full' && (
        <>
          <g class="vg-toggle" data-toggle={group.id} transform={`translate(${width - 26},7)`}>
            <rect width="20" height="20" rx="4" />
            <path d="M10 5.5v9M5.5 10h9" />
          </g>
          <text class="vg-sub" x={12} y={39}>
            {metrics.fit([progress, ...extra].join(' · '), width - 20, 'sub')}
          </text>
          <rect class="vg-track" x={12} y={46} width={width - 24} height={3} rx={1.5} />
          <rect
            class="vg-fill"
            x={12}
            y={46}
            width={((width - 24) * done) / size}
            height={3}
            rx={1.5}
          />
        </>
      )}
    </g>
  );
}

export const GroupBox = memo(GroupBoxInner);
