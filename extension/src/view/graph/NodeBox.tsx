/** One node, drawn: a box with its state, name, second line, saved values and breakpoint. */
import type { JSX } from 'preact';

import type { Node, NodeRun, Saved } from '../../protocol';
import * as format from '../format';
import { StateShape } from '../Icons';
import type { Box } from '../layout/types';
import { memo } from '../memo';
import { isTensor } from '../../store';
import { ChipRow } from './ChipRow';
import { farScale, HOOK_WIDTH, mainText, TEXT_LEFT } from './sizes';
import type { TextMetrics } from './text';
import type { Detail } from './viewport';

export interface NodeBoxProps {
  readonly itemKey: string;
  readonly node: Node;
  readonly run: NodeRun | undefined;
  readonly saved: readonly Saved[];
  readonly box: Box;
  readonly detail: Detail;
  readonly metrics: TextMetrics;
  readonly selected: boolean;
  readonly focusable: boolean;
  readonly breakpoint: boolean;
  readonly match: boolean;
  /** A pin: which use of the leaf this is, when there are several. */
  readonly use: string;
}

const UNKNOWN: NodeRun = {
  state: 'waiting',
  delivered: 0,
  needed: 0,
  order: null,
  reason: '',
  grad_norm: null
};

function NodeBoxInner(props: NodeBoxProps): JSX.Element {
  const { node, box, detail, metrics, saved, breakpoint } = props;
  const run = props.run ?? UNKNOWN;
  const leaf = node.kind === 'leaf';
  const title = leaf && node.label ? `${node.name} ${node.label}` : node.name;
  const state = format.nodeState(run);
  const stale = saved.some(value => value.state === 'stale');
  const spoken = [
    title,
    props.use,
    state,
    breakpoint ? 'breakpoint' : '',
    stale ? 'a saved value is stale' : ''
  ];
  const hooks = node.hooks.length > 0;
  // Far away the hook's sign is not drawn, and its room is the name's.
  const room = box.width - TEXT_LEFT - 8 - (hooks && detail === 'full' ? HOOK_WIDTH : 0);
  const role = leaf ? 'leaf' : 'name';
  const scale = detail === 'name' ? farScale(metrics.width(mainText(node), role), room) : 1;
  return (
    <g
      class={`vg-node${leaf ? ' vg-leaf' : ''}${props.match ? ' vg-match' : ''}`}
      role="treeitem"
      aria-label={spoken.filter(Boolean).join(', ')}
      aria-selected={props.selected}
      tabindex={props.focusable ? 0 : -1}
      data-key={props.itemKey}
      data-node-id={node.id}
      data-kind={node.kind}
      data-state={run.state}
      data-breakpoint={breakpoint ? 'on' : undefined}
      transform={`translate(${box.x},${box.y})`}
    >
      <title>{tooltip(node, title)}</title>
      <rect
        class="vg-ring"
        x={-4}
        y={-4}
        width={box.width + 8}
        height={box.height + 8}
        rx={leaf ? 24 : 10}
      />
      <rect class="vg-box" width={box.width} height={box.height} rx={leaf ? box.height / 2 : 6} />
      {detail === 'full' && (
        <g class="vg-gutter" data-gutter={node.id} aria-hidden="true">
          <title>{breakpoint ? 'Remove breakpoint (b)' : 'Add breakpoint (b)'}</title>
          <rect x={-20} y={2} width={20} height={28} fill="transparent" />
          <circle cx={-10} cy={box.height / 2 > 23 ? 16 : box.height / 2} r={5} />
        </g>
      )}
      {detail !== 'full' && breakpoint && <circle class="vg-far-dot" cx={0} cy={0} r={9} />}
      {detail === 'shape' ? (
        <g
          class="vg-state"
          transform={`translate(${box.width / 2 - 18},${box.height / 2 - 18}) scale(2.2)`}
        >
          <StateShape state={run.state} />
        </g>
      ) : (
        <>
          <g class="vg-state" transform={leaf ? 'translate(11,12)' : 'translate(10,9)'}>
            <StateShape state={run.state} share={run.needed ? run.delivered / run.needed : 0} />
          </g>
          <text
            class="vg-name"
            x={TEXT_LEFT}
            y={detail === 'name' ? 23 : leaf ? 17 : 20}
            style={scale > 1 ? { fontSize: `${12 * scale}px` } : undefined}
          >
            {metrics.fit(mainText(node), room, role)}
          </text>
        </>
      )}
      {detail === 'full' && (
        <>
          <text class="vg-sub" x={TEXT_LEFT} y={leaf ? 31 : 36}>
            {metrics.fit(format.nodeBrief(run), box.width - TEXT_LEFT - 8, 'sub')}
          </text>
          {saved.some(isTensor) && <ChipRow saved={saved} width={box.width} metrics={metrics} />}
          {hooks && <HookMark hooks={node.hooks} width={box.width} />}
        </>
      )}
    </g>
  );
}

function tooltip({ scope, place }: Node, title: string): string {
  const where = place ? `${format.place(place)}: ${place.text.trim()}` : '';
  return [title, scope.join(' › '), where].filter(Boolean).join('\n');
}

/** A hook on the node, as on a coat rack. */
function HookMark({ hooks, width }: { hooks: readonly string[]; width: number }): JSX.Element {
  return (
    <g class="vg-hook" transform={`translate(${width - 18},8)`}>
      <title>{`${format.count(hooks.length, 'hook')}: ${hooks.join(', ')}`}</title>
      <rect width="12" height="14" fill="transparent" />
      <path d="M6 1v6a3 3 0 1 1-4.4-1.6" fill="none" stroke="currentColor" stroke-width="1.5" />
    </g>
  );
}

export const NodeBox = memo(NodeBoxInner);
