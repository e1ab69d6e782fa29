/** The lane beside the graph, drawn as the kernel laid it out: downwards, as it ran. */
import type { JSX } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';

import type { Drawing, DrawnBox, DrawnFrame, Lane, Made } from '../../protocol';
import * as format from '../format';
import { StateShape } from '../Icons';
import { NAME_LINE, TYPE_LINE } from './card';
import { LinkPath } from './LinkPath';
import { metricsOf, TextMetrics } from './text';
import { showWithin } from '../showWithin';

interface LanePictureProps {
  readonly lane: Lane;
  readonly drawing: Drawing;
  /** Number i is there where `lane.at[i]` is not larger. */
  readonly progress: number;
  /** Opens a group that is closed, or closes it. */
  turn(group: number, open: boolean): void;
}

type Stands = 'done' | 'current' | 'waiting';
const WORDS: Readonly<Record<Stands, string>> = {
  done: 'done',
  current: 'next',
  waiting: 'not yet'
};
const SIDE = 10;
/** A wide picture is made smaller to fit, but not by more. */
const LEAST = 0.6;

export function LanePicture({ lane, drawing, progress, turn }: LanePictureProps): JSX.Element {
  const host = useRef<HTMLDivElement>(null);
  const [metrics, setMetrics] = useState(() => new TextMetrics());
  useLayoutEffect(() => {
    if (host.current) {
      setMetrics(metricsOf(host.current));
    }
  }, []);
  useLayoutEffect(() => {
    if (host.current) {
      showWithin(host.current, '[data-state="current"], [data-latest]');
    }
  }, [drawing, progress]);
  const { boxes, lines, frames, width, height } = drawing;
  const names = new Map(drawing.nodes.map(({ id, name }) => [id, name]));
  // What comes from outside is there before what uses it.
  const next = lane.made.findIndex(
    ({ kind }, i) => kind !== 'input' && (lane.at[i] ?? 0) > progress
  );
  const stands = (made: number): Stands => {
    const isThere = (lane.at[made] ?? 0) <= progress;
    if (isThere) {
      return 'done';
    }
    return made === next && lane.node !== null ? 'current' : 'waiting';
  };
  const latest = lane.at.findLastIndex(at => at <= progress);
  const groups = new Map(drawing.groups.map(group => [group.id, group]));
  const title = ({ group, title: own }: { group: number | null; title?: string }): string =>
    own !== undefined && own !== '' ? own : (groups.get(group ?? -1)?.title ?? '');
  return (
    <div ref={host} class="vg-lane-scroll">
      <svg
        class="vg-lane"
        viewBox={`0 0 ${width} ${height}`}
        style={{ width: `${width}px`, minWidth: `${width * LEAST}px` }}
        role="list"
        aria-label="Operations, as they ran"
      >
        <g class="vg-cluster">
          {frames.map(frame => (
            <rect class="vg-frame" key={frame.group} {...around(frame)} rx={8} />
          ))}
        </g>
        {lines.map(line => {
          const giver = boxes[line.source]?.node;
          const value = giver == null ? undefined : lane.made[giver]?.value?.norm;
          const gone = giver != null && stands(giver) === 'done';
          return (
            <LinkPath
              key={line.key}
              line={line}
              norm={gone ? (value ?? 0) : undefined}
              start={false}
              near={false}
              detail="full"
              slot=""
              heat={undefined}
            />
          );
        })}
        {frames.map(frame => (
          <g key={frame.group} role="listitem">
            <Turner
              text={title(frame)}
              open
              x={frame.x + frame.title_left}
              y={frame.y}
              act={() => turn(frame.group, false)}
            />
          </g>
        ))}
        {boxes.map(box => {
          const made = box.node === null ? undefined : lane.made[box.node];
          if (made && box.node !== null) {
            const name = names.get(box.node) ?? made.name;
            return (
              <Card
                key={box.key}
                {...{ box, made, name, metrics }}
                stands={stands(box.node)}
                latest={box.node === latest}
              />
            );
          }
          return (
            <g key={box.key} class="vg-group" role="listitem">
              <rect class="vg-box" {...around(box)} rx={8} />
              <Turner
                text={`${title(box)} · ${box.last - box.first}`}
                open={false}
                x={box.x}
                y={box.y + box.height / 2 - 11}
                act={() => box.group !== null && turn(box.group, true)}
              />
            </g>
          );
        })}
      </svg>
    </div>
  );
}

function around({ x, y, width, height }: DrawnBox | DrawnFrame): {
  x: number;
  y: number;
  width: number;
  height: number;
} {
  return { x, y, width, height };
}

interface CardProps {
  readonly box: DrawnBox;
  readonly made: Made;
  readonly name: string;
  readonly stands: Stands;
  /** Nothing that is there came later. */
  readonly latest: boolean;
  readonly metrics: TextMetrics;
}

function Card({ box, made, name, stands, latest, metrics }: CardProps): JSX.Element {
  const { width, height } = box;
  const { output, kind } = made;
  const room = width - 2 * SIDE;
  const type = output ? `${format.shape(output.shape)} ${output.dtype.replace('float', 'f')}` : '';
  const value = stands === 'done' ? valueText(made) : '';
  const odd = (made.value?.nans ?? 0) + (made.value?.infs ?? 0) > 0 && stands === 'done';
  const input = kind === 'input';
  const spoken = [name, input ? 'from outside' : WORDS[stands], value, odd ? 'not finite' : ''];
  return (
    <g
      class={`vg-node vg-made${odd ? ' vg-nonfinite' : ''}`}
      role="listitem"
      aria-label={spoken.filter(Boolean).join(', ')}
      data-state={stands}
      data-made={kind}
      data-latest={latest ? 'true' : undefined}
      transform={`translate(${box.x},${box.y})`}
    >
      <title>{spoken.filter(Boolean).join(', ')}</title>
      <rect
        class="vg-box"
        width={width}
        height={height}
        rx={input ? Math.min(height / 2, 18) : 7}
      />
      <text class="vg-name" x={SIDE} y={NAME_LINE}>
        {metrics.fit(name, room, 'name')}
      </text>
      <text class="vg-type" x={SIDE} y={TYPE_LINE}>
        {metrics.fit(type, room, 'type')}
      </text>
      <text class="vg-sub vg-words" x={width - SIDE} y={TYPE_LINE} text-anchor="end">
        {value && metrics.width(type, 'type') + metrics.width(value, 'sub') + 24 < room
          ? value
          : ''}
      </text>
      {!input && (
        <g class="vg-state" transform={`translate(${width - SIDE - 11},6) scale(0.72)`}>
          <StateShape state={stands} share={0} wrong={odd} />
        </g>
      )}
    </g>
  );
}

function valueText({ value }: Made): string {
  if (value === null) {
    return '';
  }
  const [only] = value.values ?? [];
  return value.values?.length === 1 && only !== undefined
    ? format.brief(only)
    : `‖·‖ ${format.brief(value.norm)}`;
}

interface TurnerProps {
  readonly text: string;
  readonly open: boolean;
  readonly x: number;
  readonly y: number;
  act(): void;
}

/** The title of a group, which opens or closes it. */
function Turner({ text, open, x, y, act }: TurnerProps): JSX.Element {
  return (
    <g
      class="vg-cluster-title"
      role="button"
      tabindex={0}
      aria-expanded={open}
      aria-label={text}
      transform={`translate(${x},${y})`}
      onClick={act}
      onKeyDown={event => {
        if (event.key === 'Enter' || event.key === ' ') {
          act();
          event.preventDefault();
          event.stopPropagation();
        }
      }}
    >
      <rect x={2} y={1} width={26 + 7 * text.length} height={20} rx={4} />
      <path d={open ? 'M8 9l3.5 3.5L15 9' : 'M10 7.5 13.5 11 10 14.5'} />
      <text x={21} y={15}>
        {text}
      </text>
    </g>
  );
}
