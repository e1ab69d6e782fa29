/** A closed group, or some equal cells of an open one: how far its nodes are, and how it compares. */
import type { JSX } from 'preact';

import type { DrawnBox, Group, RankRow, Tally } from '../../protocol';
import * as format from '../format';
import { StateShape } from '../Icons';
import { memo } from '../memo';
import { Bands } from './Bands';
import { PADDING } from './card';
import { Curve } from './Curve';
import { trendText } from './norms';
import { differsName } from './differing';
import type { Differs } from './differing';
import { heatName } from './heat';
import type { Heat } from './heat';
import { concerns, groupState, progressText } from './tally';
import { RankStrip } from './RankStrip';
import type { TextMetrics } from './text';
import type { Detail } from './viewport';
import { fitTitle, wholeTitle } from './titleForms';
import { farSign } from './titlePlaces';

/** The sheets behind a group's box: it is more than one thing. */
const SHEET = 6;
const TITLE_LEFT = 28;

interface GroupBoxProps {
  readonly box: DrawnBox;
  readonly group: Group | undefined;
  readonly tally: Tally;
  /** What the node that comes next is in. */
  readonly current: boolean;
  readonly breakpoints: number;
  readonly detail: Detail;
  readonly metrics: TextMetrics;
  readonly selected: boolean;
  readonly focusable: boolean;
  readonly match: boolean;
  readonly level: number;
  /** Something that is not finite is in it, came to it or left it. */
  readonly odd: boolean;
  /** Of the largest gradient that came to it; null: none did. */
  readonly norm: number | null;
  /** How large its gradient is, where that is what colours say. */
  readonly heat: Heat | null | undefined;
  /** Where branches are compared: the node in it at which they differ most; null: they do not part in it. */
  readonly differs: Differs | null | undefined;
  /** How ranks compare at the nodes in it. */
  readonly ranks: RankRow | null;
}

function GroupBoxInner(props: GroupBoxProps): JSX.Element {
  const { box, group, tally, detail } = props;
  const width = box.width - SHEET;
  const height = box.height - SHEET;
  const state = groupState(tally, props.current);
  const worries = concerns(tally, props.breakpoints);
  const curve = tally.norms.length > 1;
  const spoken = [
    wholeTitle(box, group),
    box.kind === 'cells' ? format.count(box.cells, 'equal cell') : 'group',
    progressText(tally),
    props.norm === null ? '' : `gradient ${format.number(props.norm)}`,
    props.differs?.words ?? '',
    props.ranks?.text ?? '',
    ...worries,
    curve ? trendText(tally.norms, cellsOf(props)) : ''
  ];
  return (
    <g
      class={`vg-group${props.match ? ' vg-match' : ''}${props.odd ? ' vg-nonfinite' : ''}`}
      role="treeitem"
      aria-label={spoken.filter(Boolean).join(', ')}
      aria-expanded={false}
      aria-level={props.level}
      aria-selected={props.selected}
      tabindex={props.focusable ? 0 : -1}
      data-key={box.key}
      data-group-state={state}
      data-heat={heatName(props.heat)}
      data-differs={differsName(props.differs)}
      transform={`translate(${box.x},${box.y})`}
    >
      <g aria-hidden="true">
        <title>{tooltip(box, group, spoken.slice(2))}</title>
        <rect class="vg-ring" x={-4} y={-4} width={width + 14} height={height + 14} rx={11} />
        {detail === 'full' && (
          <>
            <rect class="vg-shadow" x={SHEET} y={SHEET} width={width} height={height} rx={7} />
            <rect class="vg-shadow" x={3} y={3} width={width} height={height} rx={7} />
          </>
        )}
        <rect class="vg-box" width={width} height={height} rx={7} />
        {props.ranks && <RankStrip cells={props.ranks.cells} width={width} top={height + SHEET} />}
        {props.heat !== undefined && curve && detail !== 'full' && (
          <Bands norms={tally.norms} width={width} height={height} />
        )}
        {detail === 'full' ? (
          <Inside {...props} width={width} height={height} worries={worries} />
        ) : (
          <FarSign {...{ width, height, state }} share={share(tally)} />
        )}
      </g>
    </g>
  );
}

interface InsideProps extends GroupBoxProps {
  readonly width: number;
  readonly height: number;
  readonly worries: readonly string[];
}

function Inside(props: InsideProps): JSX.Element {
  const { box, group, tally, metrics, width, height, worries } = props;
  const state = groupState(tally, props.current);
  const kind = group && box.kind === 'group' ? kindWord(group) : '';
  const kindRoom = kind && metrics.width(kind, 'sub') + 8;
  const title = metrics.width(box.title, 'name');
  const room = width - TITLE_LEFT - 30;
  const showsKind = kindRoom !== '' && title + kindRoom <= room;
  const texts = props.differs?.brief ?? [progressText(tally)];
  const fits = texts.find(text => metrics.width(text, 'sub') <= width - 2 * PADDING);
  const words = metrics.fit(fits ?? texts.at(-1) ?? '', width - 2 * PADDING, 'sub');
  const left = width - 2 * PADDING - metrics.width(words, 'sub') - 10;
  const worry = worries.join(' · ');
  const own = worry !== '' && metrics.width(worry, 'strong') > left;
  const top = own ? 62 : 46;
  const chart = height - top - 12;
  return (
    <>
      <g class="vg-state" transform="translate(8,7)">
        <StateShape state={state} share={share(tally)} wrong={tally.nonfinite > 0} />
      </g>
      <text class="vg-name" x={TITLE_LEFT} y={19}>
        {fitTitle(metrics, box.title, room, 'name')}
      </text>
      {showsKind && (
        <text class="vg-sub" x={width - 30} y={19} text-anchor="end">
          {kind}
        </text>
      )}
      <g class="vg-toggle" data-toggle={box.key} transform={`translate(${width - 25},5)`}>
        <rect width="20" height="20" rx="4" />
        <path d="M10 5.5v9M5.5 10h9" />
      </g>
      <text class="vg-sub" x={PADDING} y={37}>
        {words}
      </text>
      {worry && (
        <text
          class="vg-sub vg-worry"
          x={own ? PADDING : width - PADDING}
          y={own ? 53 : 37}
          text-anchor={own ? 'start' : 'end'}
        >
          {own ? metrics.fit(worry, width - 2 * PADDING, 'strong') : worry}
        </text>
      )}
      {tally.norms.length > 1 && chart >= 10 ? (
        <g transform={`translate(${PADDING},${top})`}>
          <Curve
            norms={tally.norms}
            cells={cellsOf(props)}
            width={width - 2 * PADDING}
            height={chart}
            metrics={metrics}
          />
        </g>
      ) : (
        !own && (
          <text class="vg-sub" x={PADDING} y={52}>
            {metrics.fit(facts(props), width - 2 * PADDING, 'sub')}
          </text>
        )
      )}
      <rect class="vg-track" x={PADDING} y={height - 8} width={width - 20} height={3} rx={1.5} />
      <rect
        class="vg-fill"
        x={PADDING}
        y={height - 8}
        width={(width - 20) * share(tally)}
        height={3}
        rx={1.5}
      />
    </>
  );
}

function cellsOf({ box, group }: GroupBoxProps): number {
  return box.kind === 'cells' ? box.cells : (group?.cells ?? 0);
}

/** The gradient that came, and where the group was recorded. */
function facts({ norm, group, box }: GroupBoxProps): string {
  const size = norm === null ? '' : `‖g‖ ${format.brief(norm)}`;
  const place = group?.place && box.kind === 'group' ? format.place(group.place) : '';
  return [size, place].filter(Boolean).join(' · ');
}

/** The state alone, large enough to be seen, and how far it is. */
function FarSign(props: {
  readonly width: number;
  readonly height: number;
  readonly state: ReturnType<typeof groupState>;
  readonly share: number;
}): JSX.Element {
  const { width, height, state, share: part } = props;
  const { scale: size } = farSign(height);
  return (
    <>
      <rect class="vg-fill" y={height - 8} width={width * part} height={8} />
      <g class="vg-state" transform={`translate(6,${height / 2 - 8 * size}) scale(${size})`}>
        <StateShape state={state} share={part} />
      </g>
    </>
  );
}

function share({ nodes, done, captured, skipped }: Tally): number {
  return nodes > 0 ? (done + captured + skipped) / nodes : 0;
}

/** What the group is, in a word that its title does not say. */
function kindWord({ kind, cells }: Group): string {
  return cells > 1 || kind === 'part' || kind === 'turn' ? '' : kind;
}

function tooltip(box: DrawnBox, group: Group | undefined, words: readonly string[]): string {
  const where =
    group?.place && box.kind === 'group'
      ? `${format.place(group.place)}: ${group.place.text.trim()}`
      : '';
  const how = box.kind === 'cells' ? 'click opens the nearest cell' : 'double click or Enter opens';
  return [wholeTitle(box, group), where, ...words, `(${how})`].filter(Boolean).join('\n');
}

export const GroupBox = memo(GroupBoxInner);
