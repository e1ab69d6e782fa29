/** One node or one use of a leaf, drawn: name, type, state, saved values, ports and breakpoint. */
import type { JSX } from 'preact';

import type { DrawnBox, Node, NodeState } from '../../protocol';
import * as format from '../format';
import { StateShape } from '../Icons';
import { memo } from '../memo';
import { farText, mainText } from './card';
import { differsName } from './differing';
import { heatName } from './heat';
import { NodeCard } from './NodeCard';
import type { NodeBoxProps } from './nodeProps';
import { PinCard } from './PinCard';
import { RankStrip } from './RankStrip';
import { fitTitle } from './titleForms';

const ON_WAY = { seen: 'the symptom', way: 'on the path to the cause', cause: 'the cause' };

function NodeBoxInner(props: NodeBoxProps): JSX.Element {
  const { box, node, run, running, saved, detail, breakpoint } = props;
  const pin = box.kind === 'pin';
  const title = node.label ? `${node.name} ${node.label}` : node.name;
  const { odd, made } = props;
  const spoken = [
    title,
    pin && box.uses > 1 ? `use ${format.whole(box.use)} of ${format.whole(box.uses)}` : '',
    format.nodeState(run, running),
    made === null ? '' : `made ${format.number(made)}`,
    odd && made === null ? 'not finite' : '',
    props.differs?.words ?? '',
    props.ranks?.text ?? '',
    props.onWay === null ? '' : ON_WAY[props.onWay],
    props.edited ? 'changed by you' : '',
    breakpoint ? 'breakpoint' : '',
    saved.some(value => value.state === 'stale') ? 'a saved value is stale' : ''
  ];
  const round = node.kind === 'leaf' || node.kind === 'root';
  const radius = round ? Math.min(box.height / 2, 18) : node.kind === 'function' ? 2 : 7;
  return (
    <g
      class={`vg-node${node.kind === 'leaf' ? ' vg-leaf' : ''}${props.match ? ' vg-match' : ''}${odd ? ' vg-nonfinite' : ''}`}
      role="treeitem"
      aria-label={spoken.filter(Boolean).join(', ')}
      aria-level={props.level}
      aria-selected={props.selected}
      tabindex={props.focusable ? 0 : -1}
      data-key={box.key}
      data-node-id={node.id}
      data-kind={node.kind}
      data-state={stateOf(props)}
      data-heat={heatName(props.heat)}
      data-differs={differsName(props.differs)}
      data-breakpoint={breakpoint ? 'on' : undefined}
      data-edited={props.edited ? 'true' : undefined}
      data-why={props.onWay ?? undefined}
      transform={`translate(${box.x},${box.y})`}
    >
      <g aria-hidden="true">
        <title>{tooltip(node, title, props.differs?.words ?? '', props.ranks?.text ?? '')}</title>
        <rect
          class="vg-ring"
          x={-4}
          y={-4}
          width={box.width + 8}
          height={box.height + 8}
          rx={radius + 4}
        />
        {(props.onWay === 'seen' || props.onWay === 'cause') && detail === 'full' && (
          <text class="vg-explained-tag" {...besideOf(box)}>
            {props.onWay === 'seen' ? 'symptom' : 'cause'}
          </text>
        )}
        {props.edited && detail === 'full' && (
          <text class="vg-edited-tag" x={2} y={pin ? box.height + 18 : -8}>
            changed
          </text>
        )}
        <Body box={box} kind={node.kind} radius={radius} />
        {props.ranks && <RankStrip cells={props.ranks.cells} width={box.width} top={box.height} />}
        {detail === 'full' ? (
          <>
            <Gutter box={box} node={node.id} on={breakpoint} />
            {pin ? <PinCard {...props} /> : <NodeCard {...props} />}
          </>
        ) : (
          <Far {...props} />
        )}
      </g>
    </g>
  );
}

/** Where a word on a box has room: above its right end, as others stand beside it; leaves have nothing below them. */
function besideOf({ kind, width, height }: DrawnBox): JSX.IntrinsicElements['text'] {
  return kind === 'pin' ? { x: 10, y: height + 18 } : { x: width - 2, y: -8, 'text-anchor': 'end' };
}

/** The outline, which tells the kind of a node also without colour. */
function Body({ box, kind, radius }: { box: DrawnBox; kind: string; radius: number }): JSX.Element {
  const { width, height } = box;
  if (kind === 'copy_slices') {
    return (
      <path
        class="vg-box"
        d={`M0,0H${width - 12}L${width},12V${height}H0ZM${width - 12},0V12H${width}`}
      />
    );
  }
  return (
    <>
      <rect class="vg-box" width={width} height={height} rx={radius} />
      {kind === 'function' && <path class="vg-bar" d={`M5,0V${height}M${width - 5},0V${height}`} />}
    </>
  );
}

function Gutter({ box, node, on }: { box: DrawnBox; node: number; on: boolean }): JSX.Element {
  const middle = box.height / 2 > 23 ? 16 : box.height / 2;
  return (
    <g class="vg-gutter" data-gutter={node} aria-hidden="true">
      <title>{on ? 'Remove breakpoint (b)' : 'Add breakpoint (b)'}</title>
      <rect x={-20} y={2} width={20} height={28} fill="transparent" />
      <circle cx={-10} cy={middle} r={5} />
    </g>
  );
}

/** Seen from far away: the state, and in between the name as large as there is room. */
function Far(props: NodeBoxProps): JSX.Element {
  const { box, node, run, detail, metrics, breakpoint } = props;
  const { width, height } = box;
  const share = run.needed ? run.delivered / run.needed : 0;
  const dot = breakpoint && <circle class="vg-far-dot" cx={0} cy={0} r={9} />;
  if (detail === 'shape') {
    const size = Math.min(2.2, height / 18);
    const at = `translate(${width / 2 - 8 * size},${height / 2 - 8 * size}) scale(${size})`;
    return (
      <>
        <g class="vg-state" transform={at}>
          <StateShape state={stateOf(props)} share={share} wrong={props.odd} />
        </g>
        {dot}
      </>
    );
  }
  const role = node.kind === 'leaf' ? 'leaf' : 'name';
  const room = width - 33;
  const names = [mainText(node), farText(node)];
  const name = names.find(each => metrics.width(each, role) <= room) ?? farText(node);
  const text = fitTitle(metrics, name, room, role);
  const size = Math.max(role === 'leaf' ? 12 : 13, props.type);
  return (
    <>
      <g class="vg-state" transform={`translate(6,${height / 2 - 9.6}) scale(1.2)`}>
        <StateShape state={stateOf(props)} share={share} wrong={props.odd} />
      </g>
      <text class="vg-name" x={29} y={Math.round(height / 2 + 0.36 * size)}>
        {text}
      </text>
      {dot}
    </>
  );
}

function stateOf({ run, running }: NodeBoxProps): NodeState {
  return format.drawnState(run, running);
}

function tooltip({ scope, place }: Node, title: string, ...words: readonly string[]): string {
  const where = place ? `${format.place(place)}: ${place.text.trim()}` : '';
  return [title, scope.join(' › '), where, ...words].filter(Boolean).join('\n');
}

export const NodeBox = memo(NodeBoxInner);
