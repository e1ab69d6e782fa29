/** The drawing itself: frames, lines and boxes, as far as they are on the screen. */
import type { JSX, RefObject, SVGAttributes } from 'preact';
import { useMemo, useState } from 'preact/hooks';

import type { Node } from '../../protocol';
import { nodeTitle } from '../../store';
import type { SessionState } from '../../store';
import { around, touches } from '../layout/boxes';
import type { Box, Layout, Route } from '../layout/types';
import { ClusterBox } from './ClusterBox';
import { flowOf } from './flow';
import { GroupBox, summarize } from './GroupBox';
import { labelOf, LinkLabels } from './LinkLabels';
import { LinkPath } from './LinkPath';
import { NodeBox } from './NodeBox';
import type { Group } from './scopes';
import type { Picture } from './usePicture';
import type { Viewport } from './useViewport';
import type { Item, Link } from './visible';

/** Small graphs are drawn whole: nothing to gain by leaving boxes out. */
const DRAW_ALL = 150;
const MAX_LABELS = 16;

export interface GraphCanvasProps {
  readonly svg: RefObject<SVGSVGElement>;
  readonly world: RefObject<SVGGElement>;
  readonly session: SessionState;
  readonly picture: Picture;
  readonly viewport: Viewport;
  readonly selection: number | null;
  readonly matches: ReadonlySet<number>;
  /** The box that Tab reaches. */
  readonly focusKey: string | null;
  readonly events: SVGAttributes<SVGSVGElement>;
}

export function GraphCanvas(props: GraphCanvasProps): JSX.Element {
  const { session, picture, selection, matches, focusKey } = props;
  const { drawn, detail } = props.viewport;
  const { visible, layout, tree, metrics } = picture;
  const [hovered, setHovered] = useState<string | null>(null);

  const extents = useMemo(() => linkExtents(layout), [layout]);
  const parts = useMemo(
    () => partsOn(picture, extents, drawn, focusKey),
    [picture, extents, drawn, focusKey]
  );
  const breakpoints = useMemo(() => new Set(session.run.breakpoints), [session.run.breakpoints]);
  const selected = useMemo(
    () => new Set(selection === null ? [] : visible.keysOf(selection)),
    [visible, selection]
  );

  const drawItem = (item: Item): JSX.Element | null => {
    const box = layout.items.get(item.key) as Box;
    const { key } = item;
    const common = { itemKey: key, box, detail, metrics, focusable: key === focusKey };
    if (item.kind === 'result') {
      return (
        <ResultPill key={key} box={box} label={resultLabel(session, item.node, item.output)} />
      );
    }
    if (item.kind === 'group') {
      return (
        <GroupBox
          key={key}
          {...common}
          {...summarize(item, session, breakpoints)}
          group={tree.groups[item.group] as Group}
          size={item.nodes.length}
          selected={selected.has(key)}
          match={matches.size > 0 && item.nodes.some(node => matches.has(node))}
        />
      );
    }
    const node = session.graph.nodes[item.node] as Node;
    return (
      <NodeBox
        key={key}
        {...common}
        node={node}
        run={session.fold.node(item.node)}
        saved={session.saved.of(item.node)}
        selected={selected.has(key)}
        breakpoint={breakpoints.has(item.node)}
        match={matches.has(item.node)}
        use={item.kind === 'pin' && item.uses > 1 ? `use ${item.use} of ${item.uses}` : ''}
      />
    );
  };

  const near = (link: Link): boolean => selected.has(link.from) || selected.has(link.to);
  const started = session.run.position > 0;
  const flow = (link: Link) =>
    link.edges.length > 0
      ? flowOf(link.edges, session.fold.flows)
      : { flow: started ? ('value' as const) : ('none' as const), norm: null };
  const labels = (detail === 'full' ? parts.links : [])
    .filter(link => link.key === hovered || near(link))
    .slice(0, MAX_LABELS)
    .flatMap(link => {
      const text = labelOf(link, flow(link), session.graph, link.key === hovered);
      const route = layout.links.get(link.key);
      const ends = [link.from, link.to].flatMap(end => layout.items.get(end) ?? []);
      return text && route ? [{ key: link.key, route, text, ends }] : [];
    });

  return (
    <svg
      ref={props.svg}
      class={`vg-canvas vg-detail-${detail}`}
      role="tree"
      aria-label="Backward graph"
      {...props.events}
      onPointerOver={event => setHovered(linkAt(event.target))}
      onPointerLeave={() => setHovered(null)}
    >
      <g ref={props.world} role="presentation">
        {parts.clusters.map(id => (
          <ClusterBox
            key={id}
            group={tree.groups[id] as Group}
            box={layout.clusters.get(id) as Box}
            detail={detail}
            metrics={metrics}
            focusable={focusKey === `c${id}`}
          />
        ))}
        {parts.links.map(link => (
          <LinkPath
            key={link.key}
            linkKey={link.key}
            route={layout.links.get(link.key) as Route}
            {...flow(link)}
            near={near(link)}
            detail={detail}
          />
        ))}
        {parts.items.map(drawItem)}
        <LinkLabels labels={labels} metrics={metrics} />
      </g>
    </svg>
  );
}

/** The parts of the picture that are on the screen, and always the one that has the focus. */
function partsOn(
  { visible, layout }: Picture,
  extents: ReadonlyMap<string, Box>,
  drawn: Box,
  focusKey: string | null
) {
  const all = visible.items.length <= DRAW_ALL;
  const on = (box: Box | undefined): boolean => box !== undefined && (all || touches(box, drawn));
  return {
    items: visible.items.filter(item => item.key === focusKey || on(layout.items.get(item.key))),
    links: visible.links.filter(link => on(extents.get(link.key))),
    clusters: visible.clusters.filter(id => on(layout.clusters.get(id)))
  };
}

function linkExtents(layout: Layout): ReadonlyMap<string, Box> {
  return new Map(
    [...layout.links].map(([key, { points }]) => [
      key,
      around(points.map(point => ({ ...point, width: 0, height: 0 })))
    ])
  );
}

function resultLabel(session: SessionState, node: number, output: number): string {
  const outputs = session.graph.nodes[node]?.outputs.length ?? 1;
  const slot = outputs > 1 ? `, output ${output}` : '';
  return `result of ${nodeTitle(session, node)}${slot}`;
}

function ResultPill({ box, label }: { box: Box; label: string }): JSX.Element {
  return (
    <g class="vg-result" transform={`translate(${box.x},${box.y})`} role="img" aria-label={label}>
      <title>{label}</title>
      <rect width={box.width} height={box.height} rx={box.height / 2} />
      <text x={box.width / 2} y={box.height / 2 + 4} text-anchor="middle">
        result
      </text>
    </g>
  );
}

function linkAt(target: EventTarget | null): string | null {
  const element = target instanceof Element ? target.closest('[data-link]') : null;
  return element?.getAttribute('data-link') ?? null;
}
