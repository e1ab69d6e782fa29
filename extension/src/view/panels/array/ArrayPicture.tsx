/** An array as a picture: axes, scale, and what the colours mean; index and value of what is pointed at. */
import type { JSX } from 'preact';
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';

import type { Blocks } from '../../../protocol';
import * as format from '../../format';
import { memo } from '../../memo';
import { Legend, PhaseLegend } from './Legend';
import { FINE, paint } from './paint';
import type { CellSize } from './paint';
import { axes, countIn, indexText, rangesOf } from './places';
import type { Cell } from './places';
import { scaleOf } from './scale';
import type { Scale } from './scale';

interface ArrayPictureProps {
  readonly shape: readonly number[];
  readonly at: readonly (number | null)[];
  readonly blocks: Blocks;
  /** Room for the cells, in pixels. */
  readonly room: CellSize;
  /** Look closer at a block. */
  readonly open?: (ranges: ReturnType<typeof rangesOf>) => void;
}

const LEAST = 3;
const MOST = 22;

function ArrayPictureInner(props: ArrayPictureProps): JSX.Element {
  const { shape, at, blocks, room, open } = props;
  const [pointed, setPointed] = useState<Cell | null>(null);
  const scale = useMemo(() => scaleOf(blocks), [blocks]);
  const { values, phases, size } = blocks;
  const height = values.length;
  const width = values[0]?.length ?? 0;
  const complex = phases.length > 0;
  const names = axes({ shape, at });
  const cell = cellIn(room, width, height);
  const here = pointed && pointed.row < height && pointed.column < width ? pointed : null;

  const move = (down: number, right: number): void => {
    const { row, column } = here ?? { row: down < 0 ? height : -1, column: right < 0 ? width : -1 };
    setPointed({
      row: Math.min(Math.max(row + (here ? down : Math.max(down, 1)), 0), height - 1),
      column: Math.min(Math.max(column + (here ? right : Math.max(right, 1)), 0), width - 1)
    });
  };
  const enter = (): void => {
    if (here && open && countIn(blocks, here) > 1) {
      open(rangesOf(blocks, here));
    }
  };
  const keys: Record<string, () => void> = {
    ArrowUp: () => move(-1, 0),
    ArrowDown: () => move(1, 0),
    ArrowLeft: () => move(0, -1),
    ArrowRight: () => move(0, 1),
    Home: () => setPointed({ row: 0, column: 0 }),
    End: () => setPointed({ row: height - 1, column: width - 1 }),
    Enter: enter
  };
  const picture = (phase: boolean): JSX.Element => (
    <Canvas
      blocks={blocks}
      cell={cell}
      scale={scale}
      phase={phase}
      pointed={here}
      point={setPointed}
      enter={enter}
    />
  );
  return (
    <div
      class="vg-array"
      role="application"
      aria-roledescription="picture of an array"
      aria-label={spoken(shape, blocks, scale)}
      tabIndex={0}
      onKeyDown={event => {
        const act = event.ctrlKey || event.metaKey || event.altKey ? undefined : keys[event.key];
        if (act) {
          act();
          event.preventDefault();
          event.stopPropagation();
        }
      }}
      onBlur={() => setPointed(null)}
    >
      <div class="vg-array-pictures">
        <div class="vg-array-picture">
          {complex && <span class="vg-array-title">magnitude</span>}
          <span class="vg-axis vg-axis-columns">
            <Ticks range={blocks.columns} name={names.columns} />
          </span>
          {names.rows && (
            <span class="vg-axis vg-axis-rows">
              <Ticks range={blocks.rows} name={names.rows} />
            </span>
          )}
          {picture(false)}
        </div>
        {complex && (
          <div class="vg-array-picture">
            <span class="vg-array-title">phase</span>
            {picture(true)}
          </div>
        )}
      </div>
      <Legend scale={scale} complex={complex} />
      {complex && <PhaseLegend />}
      <output class="vg-readout" aria-live="polite">
        {here ? (
          <>
            <span class="vg-mono">{indexText({ shape, at }, blocks, here)}</span>{' '}
            {told(blocks, here)}
          </>
        ) : (
          <span class="vg-muted">
            {size[0] * size[1] > 1
              ? `each cell: largest of ${format.whole(size[0])} × ${format.whole(size[1])} values`
              : 'each cell: one value'}
          </span>
        )}
      </output>
    </div>
  );
}

interface CanvasProps {
  readonly blocks: Blocks;
  readonly cell: CellSize;
  readonly scale: Scale;
  readonly phase: boolean;
  readonly pointed: Cell | null;
  readonly point: (cell: Cell | null) => void;
  readonly enter: () => void;
}

function Canvas({ blocks, cell, scale, phase, pointed, point, enter }: CanvasProps): JSX.Element {
  const canvas = useRef<HTMLCanvasElement>(null);
  const rows = blocks.values.length;
  const columns = blocks.values[0]?.length ?? 0;
  const { width, height } = cell;
  useLayoutEffect(() => {
    if (canvas.current) {
      paint(canvas.current, blocks, cell, scale.largest, phase);
    }
  }, [blocks, width, height, scale, phase]);
  return (
    <span class="vg-array-cells" style={{ width: columns * width, height: rows * height }}>
      <canvas
        ref={canvas}
        class="vg-heat"
        width={columns * width * FINE}
        height={rows * height * FINE}
        aria-hidden="true"
        onMouseMove={event => {
          const { left, top, width, height } = event.currentTarget.getBoundingClientRect();
          const row = Math.floor(((event.clientY - top) / height) * rows);
          const column = Math.floor(((event.clientX - left) / width) * columns);
          point(row >= 0 && row < rows && column >= 0 && column < columns ? { row, column } : null);
        }}
        onMouseLeave={() => point(null)}
        onClick={enter}
      />
      {pointed && (
        <span
          class="vg-pointed"
          style={{ left: pointed.column * width, top: pointed.row * height, width, height }}
        />
      )}
    </span>
  );
}

/** The first and the last index, and between them what runs there. */
function Ticks({
  range: [first, last],
  name
}: {
  range: readonly [number, number];
  name: string;
}): JSX.Element {
  return (
    <>
      <span>{first}</span>
      <span class="vg-axis-name">{name}</span>
      {last - first > 1 && <span>{last - 1}</span>}
    </>
  );
}

function cellIn(room: CellSize, columns: number, rows: number): CellSize {
  const fit = (length: number, count: number): number =>
    Math.min(Math.max(Math.floor(length / Math.max(count, 1)), LEAST), MOST);
  const width = fit(room.width, columns);
  const height = rows === 1 ? Math.max(width, 14) : fit(room.height, rows);
  const side = Math.min(width, height);
  // Cells are square as long as none of them gets lost.
  return rows === 1 ? { width, height } : { width: Math.max(side, LEAST), height: side };
}

/** "-0.31", "5.2, the largest of 16", "NaN among 16 values", "0.5 ∠ 53°". */
function told(blocks: Blocks, cell: Cell): string {
  const value = blocks.values[cell.row]?.[cell.column] ?? NaN;
  const phase = blocks.phases[cell.row]?.[cell.column];
  const count = countIn(blocks, cell);
  const angle = phase === undefined || Number.isNaN(phase) ? '' : ` ∠ ${format.angle(phase)}`;
  const among = Number.isFinite(value)
    ? `, the largest of ${format.whole(count)}`
    : ` among ${format.whole(count)} values`;
  return format.number(value) + angle + (count > 1 ? among : '');
}

function spoken(shape: readonly number[], blocks: Blocks, scale: Scale): string {
  const odd = [
    scale.nans > 0 ? `${format.count(scale.nans, 'cell')} with NaN` : '',
    scale.high + scale.low > 0 ? `${format.count(scale.high + scale.low, 'cell')} with inf` : ''
  ];
  const range = `${scale.negative ? '±' : 'up to '}${format.number(scale.largest)}`;
  const what = blocks.phases.length > 0 ? 'Magnitude and phase' : 'Values';
  return [`${what} of ${format.shape(shape)}, ${range}`, ...odd, 'move with the arrow keys']
    .filter(Boolean)
    .join(', ');
}

export const ArrayPicture = memo(ArrayPictureInner);
