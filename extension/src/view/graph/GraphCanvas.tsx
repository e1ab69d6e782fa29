/** The drawing itself: frames, lines and boxes, as far as they are on the screen. */
import type { ComponentChild, JSX, RefObject, SVGAttributes } from 'preact';
import { useMemo, useState } from 'preact/hooks';

import type { DrawnFrame, DrawnLine, Node, RankRow } from '../../protocol';
import { callOn, editsOf, isLarger, rowWithin } from '../../store';
import type { Compared, Fold, OnWay, RanksState, SessionState } from '../../store';
import * as format from '../format';
import { changedOn } from './changedOn';
import { CollectiveBox } from './CollectiveBox';
import { Deliveries } from './Deliveries';
import { differsDrawn } from './differing';
import { FarTitles } from './FarTitles';
import { FrameBox, FrameHead } from './FrameBox';
import { HEAD, headsOf } from './frameHead';
import { GroupBox } from './GroupBox';
import type { Box } from './geometry';
import { heatOf } from './heat';
import type { Heat } from './heat';
import { headBox } from './labelPlaces';
import { LinkLabels } from './LinkLabels';
import { LinkPath } from './LinkPath';
import { linkText, slotText } from './linkText';
import { NodeBox } from './NodeBox';
import { partsOn } from './parts';
import { frameKey, isFolded } from './picture';
import type { Picture } from './picture';
import { ResultPill } from './ResultPill';
import { countWithin } from './tally';
import { useSticky } from './useSticky';
import type { BoxAt } from './useGrown';
import type { Viewport } from './useViewport';

const MAX_LABELS = 16;
/** Pixels of the picture on one of the screen, from which signs cannot be told apart any more. */
const TINY = 8;

export interface GraphCanvasProps {
  readonly svg: RefObject<SVGSVGElement>;
  readonly world: RefObject<SVGGElement>;
  readonly session: SessionState;
  readonly picture: Picture;
  readonly viewport: Viewport;
  readonly boxAt: BoxAt;
  readonly selection: number | null;
  readonly matches: ReadonlySet<number>;
  /** The box that Tab reaches. */
  readonly focusKey: string | null;
  /** Colours say how large gradients are, not how far the run is. */
  readonly heated: boolean;
  /** Two branches beside each other: then colours and words say how they differ. */
  readonly compared: Compared | null;
  /** Where several processes run the backward: how they compare. */
  readonly ranks: RanksState | null;
  /** The node that is running now; null: the run stands still. */
  readonly running: number | null;
  /** Nodes on the way from what was seen to its cause, and the steps of that. */
  readonly way: ReadonlyMap<number, OnWay>;
  readonly waySteps: ReadonlySet<string>;
  readonly events: SVGAttributes<SVGSVGElement>;
}

export function GraphCanvas(props: GraphCanvasProps): JSX.Element {
  const { session, picture, boxAt, selection, matches, focusKey, heated, running } = props;
  const { view, screen, drawn, detail, scale, type } = props.viewport;
  const { drawing, groups, nodes, depths } = picture;
  const metrics = picture.metrics.atLeast(type);
  const { fold, run } = session;
  const [hovered, setHovered] = useState<string | null>(null);

  const parts = useMemo(() => partsOn(picture, drawn, focusKey), [picture, drawn, focusKey]);
  const heads = useMemo(
    () => (detail === 'full' ? headsOf(picture, parts.frames, metrics) : []),
    [picture, parts, metrics, detail]
  );
  const covered = useMemo(() => parts.boxes.map(boxAt), [boxAt, parts]);
  useSticky(props.world, view, screen, heads);
  const starts = useMemo(() => startsOf(picture), [picture]);
  const odd = useMemo(() => oddOf(picture, fold), [picture, fold, run]);
  const breakpoints = useMemo(() => new Set(run.breakpoints), [run.breakpoints]);
  // Of a leaf with uses everywhere the one that is looked at.
  const selected = useMemo(() => {
    const keys = selection === null ? [] : picture.keysOf(selection);
    return new Set(
      keys.filter(key => key === (keys.includes(focusKey ?? '') ? focusKey : keys[0]))
    );
  }, [picture, selection, focusKey]);
  const edited = useMemo(() => new Set(editsOf(run).map(({ node }) => node)), [run]);
  const found = useMemo(() => [...matches], [matches]);
  const onWay = useMemo(() => [...props.way.keys()], [props.way]);
  const { compared } = props;
  const differs = useMemo(() => compared && differsDrawn(picture, compared), [picture, compared]);

  // A group keeps its strip as long as the ranks do.
  const strips = useMemo(() => new Map<string, RankRow | null>(), [props.ranks]);
  const ranksWithin = (first: number, last: number): RankRow | null => {
    const key = `${first} ${last}`;
    const known = strips.get(key);
    if (known !== undefined || !props.ranks) {
      return known ?? null;
    }
    const row = rowWithin(first, last, props.ranks.rows);
    strips.set(key, row);
    return row;
  };

  const holdsCurrent = (first: number, last: number): boolean =>
    run.current !== null && first <= run.current && run.current < last;
  const heat = (norm: number | null | undefined): Heat | null | undefined =>
    heated ? heatOf(norm) : undefined;

  /** The norm of the largest gradient that went over some lines. */
  const largest = (lines: readonly number[] | undefined): number | null =>
    (lines ?? NONE).reduce<number | null>((most, line) => {
      const norm = fold.flow(line) ?? null;
      return isLarger(norm, most) ? norm : most;
    }, null);

  const frameProps = (index: number) => {
    const frame = drawing.frames[index] as DrawnFrame;
    const group = groups.get(frame.group);
    return {
      key: frame.group,
      frame,
      tally: fold.frame(index),
      current: group !== undefined && holdsCurrent(group.first, group.last),
      depth: depths[index] ?? 0,
      heat: heat(heated ? largest(picture.entering[index]) : null),
      differs: differs ? (differs.frames.get(index) ?? null) : undefined
    };
  };

  const drawHead = (index: number): ComponentChild => {
    const props = frameProps(index);
    const group = groups.get(props.frame.group);
    return (
      group && (
        <FrameHead
          {...props}
          group={group}
          breakpoints={countWithin(run.breakpoints, group.first, group.last)}
          metrics={metrics}
          focusable={focusKey === frameKey(group.id)}
        />
      )
    );
  };

  const drawBox = (index: number): ComponentChild => {
    const box = boxAt(index);
    const { key } = box;
    if (box.kind === 'result') {
      return <ResultPill key={key} box={box} of={nodes.get(box.node ?? -1)} type={type} />;
    }
    const common = {
      key,
      box,
      detail,
      metrics,
      selected: selected.has(key),
      focusable: key === focusKey,
      level: box.frame === null ? 1 : (depths[box.frame] ?? 0) + 2
    };
    if (box.kind === 'collective') {
      const called = drawing.collectives[box.collective ?? -1];
      return (
        called && (
          <CollectiveBox
            {...common}
            selected={selection === called.node && key === focusKey}
            called={called}
            position={run.position}
            ranks={props.ranks ? callOn(props.ranks, called) : null}
          />
        )
      );
    }
    if (isFolded(box)) {
      const tally = fold.tally(index);
      const { first, last } = box;
      const norm = largest(picture.arriving[index]);
      return (
        tally && (
          <GroupBox
            {...common}
            odd={tally.nonfinite > 0 || odd.boxes.has(index)}
            group={groups.get(box.group ?? -1)}
            tally={tally}
            current={holdsCurrent(first, last)}
            breakpoints={countWithin(run.breakpoints, first, last)}
            match={countWithin(found, first, last) > 0 || countWithin(onWay, first, last) > 0}
            norm={norm}
            heat={heat(norm)}
            differs={differs ? (differs.boxes.get(index) ?? null) : undefined}
            ranks={ranksWithin(first, last)}
          />
        )
      );
    }
    const node = nodes.get(box.node ?? -1);
    const stands = node && fold.node(node.id);
    const gone = odd.from.get(index);
    const came = stands?.grad_norm ?? null;
    const got = node && arrivesOdd(fold, node) ? (odd.to.get(index) ?? null) : null;
    return (
      node &&
      stands && (
        <NodeBox
          {...common}
          type={type}
          node={node}
          run={stands}
          running={format.whereRuns(running, stands, node.id)}
          odd={(came === null ? got !== null : isOdd(came)) || gone !== undefined}
          made={gone !== undefined && !isOdd(came) ? gone.norm : null}
          got={got}
          oddStarts={gone?.starts ?? NONE}
          saved={session.saved.of(node.id)}
          starts={starts[index] ?? NONE}
          breakpoint={breakpoints.has(node.id)}
          edited={edited.has(node.id)}
          match={matches.has(node.id)}
          onWay={props.way.get(node.id) ?? null}
          heat={heat(stands.grad_norm)}
          differs={differs ? (differs.nodes.get(node.id) ?? null) : undefined}
          ranks={props.ranks?.rows.get(node.id) ?? null}
        />
      )
    );
  };

  const begun = run.position > 0 ? null : undefined;
  const flow = (index: number): number | null | undefined => {
    const { source = -1, target = -1 } = drawing.lines[index] ?? {};
    const called = drawing.collectives[drawing.boxes[target]?.collective ?? -1];
    if (called) {
      return called.step < run.position ? null : undefined;
    }
    return drawing.boxes[source]?.kind === 'result' ? begun : fold.flow(index);
  };
  const near = (index: number): boolean => {
    const { source = -1, target = -1 } = drawing.lines[index] ?? {};
    return [source, target].some(end => selected.has(drawing.boxes[end]?.key ?? ''));
  };

  const isOnWay = ({ source, target }: DrawnLine): boolean =>
    props.waySteps.has(`${drawing.boxes[source]?.node} ${drawing.boxes[target]?.node}`);

  const labels = (detail === 'full' ? parts.lines : NONE)
    .filter(index => drawing.lines[index]?.key === hovered || near(index) || odd.lines.has(index))
    .slice(0, MAX_LABELS)
    .flatMap(index => {
      const line = drawing.lines[index];
      const long = line?.key === hovered;
      const text =
        line &&
        linkText(
          picture,
          line,
          flow(index),
          long,
          fold.flowTangents(index),
          changedOn(picture, session, edited, index)
        );
      return text ? [{ key: line.key, route: line.points, text, odd: odd.lines.has(index) }] : [];
    });
  const taken = (): readonly Box[] => [
    ...covered,
    ...parts.lines.flatMap(index => {
      const line = drawing.lines[index];
      return line ? [headBox(line.points, metrics.width(slotText(picture, line), 'port'))] : [];
    }),
    ...heads.map(({ frame, left, width }) => ({
      x: frame.x + left,
      y: frame.y,
      width,
      height: HEAD
    })),
    ...parts.frames.flatMap(index => curveBox(drawing.frames[index] as DrawnFrame))
  ];

  return (
    <svg
      ref={props.svg}
      class={`vg-canvas vg-detail-${detail}${scale >= TINY ? ' vg-tiny' : ''}${heated || compared ? ' vg-heated' : ''}${compared ? ' vg-compared' : ''}`}
      style={{ '--vg-least': `${type}px` }}
      role="tree"
      aria-label="Backward graph"
      {...props.events}
      onPointerOver={event => setHovered(linkAt(event.target))}
      onPointerLeave={() => setHovered(null)}
    >
      <g ref={props.world} role="presentation">
        {parts.frames.map(index => (
          <FrameBox {...frameProps(index)} />
        ))}
        {parts.lines.map(index => {
          const line = drawing.lines[index];
          return (
            line && (
              <LinkPath
                key={line.key}
                line={line}
                norm={flow(index)}
                start={drawing.boxes[line.source]?.kind === 'result'}
                call={drawing.boxes[line.target]?.kind === 'collective'}
                near={near(index)}
                detail={detail}
                slot={slotText(picture, line)}
                heat={heat(flow(index))}
                onWay={isOnWay(line)}
              />
            )
          );
        })}
        {parts.boxes.map(drawBox)}
        <Deliveries session={session} picture={picture} />
        {detail === 'full' && parts.frames.map(drawHead)}
        {detail !== 'full' && <FarTitles {...{ picture, view, screen, drawn, scale }} />}
        <LinkLabels labels={labels} taken={taken} metrics={metrics} type={type} />
      </g>
    </svg>
  );
}

const NONE: readonly number[] = [];

/** Where something went that is not finite. */
interface Odd {
  readonly lines: ReadonlySet<number>;
  /** At either end of such a line. */
  readonly boxes: ReadonlySet<number>;
  /** By box: what came over such a line. A hook, or a person at a pause, may have made another gradient of it. */
  readonly to: ReadonlyMap<number, number>;
  /** By box: where such lines leave it, and what went over the first. */
  readonly from: ReadonlyMap<number, { readonly starts: number[]; readonly norm: number }>;
}

/** Is it, or may it be, not finite what waits at a node? A person may have made another gradient of what came. */
function arrivesOdd(fold: Fold, { id, outputs }: Node): boolean {
  const waiting = fold.arrived(id, outputs.length).filter(each => each !== null);
  return waiting.length === 0 || waiting.some(({ norm }) => norm === null || isOdd(norm));
}

function isOdd(norm: number | null | undefined): norm is number {
  return norm !== null && norm !== undefined && !Number.isFinite(norm);
}

function oddOf({ drawing }: Picture, fold: Fold): Odd {
  const lines = new Set<number>();
  const boxes = new Set<number>();
  const to = new Map<number, number>();
  const from = new Map<number, { starts: number[]; norm: number }>();
  drawing.lines.forEach(({ source, target, points }, index) => {
    const norm = fold.flow(index);
    if (isOdd(norm)) {
      lines.add(index);
      boxes.add(source).add(target);
      to.set(target, norm);
      const gone = from.get(source) ?? { starts: [], norm };
      gone.starts.push(points[0] ?? 0);
      from.set(source, gone);
    }
  });
  return { lines, boxes, to, from };
}

/** What the curve in the head of a frame covers. */
function curveBox({ x, y, curve_left, curve_room }: DrawnFrame): Box[] {
  return curve_room > 0 ? [{ x: x + curve_left, y, width: curve_room, height: HEAD }] : [];
}

/** Where the lines that leave each box start, from left to right. */
function startsOf({ drawing, leaving }: Picture): readonly (readonly number[])[] {
  return leaving.map(lines =>
    lines.map(line => drawing.lines[line]?.points[0] ?? 0).sort((a, b) => a - b)
  );
}

function linkAt(target: EventTarget | null): string | null {
  const element = target instanceof Element ? target.closest('[data-link]') : null;
  return element?.getAttribute('data-link') ?? null;
}
