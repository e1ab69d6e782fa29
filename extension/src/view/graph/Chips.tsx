/** The saved values of a node as small chips; each state has a shape of its own. */
import type { JSX } from 'preact';

import type { Saved } from '../../protocol';
import * as format from '../format';
import { CHIP_HEIGHT, CHIP_SIGN } from './card';
import type { Chip, Chips as Placed } from './card';

const TEXT_LINE = 12;
const PADDING = 6;
const CUT = 5;

export function Chips({ chips, more, x, y }: Placed): JSX.Element {
  return (
    <>
      {chips.map(chip => (
        <ChipMark key={chip.saved.name} {...chip} />
      ))}
      {more > 0 && (
        <text class="vg-more" x={x + 2} y={y + TEXT_LINE}>
          {`+${more}`}
        </text>
      )}
    </>
  );
}

function ChipMark({ saved, text, x, y, width }: Chip): JSX.Element {
  const plain = saved.value !== '';
  const stale = saved.state === 'stale';
  return (
    <g
      class={`vg-chip${plain ? ' vg-plain' : ''}`}
      data-saved-state={saved.state}
      data-saved-name={saved.name}
      transform={`translate(${x},${y})`}
    >
      <title>{describe(saved)}</title>
      {!plain &&
        (stale ? (
          <path class="vg-chip-body" d={cutCorners(width)} />
        ) : (
          <rect
            class="vg-chip-body"
            width={width}
            height={CHIP_HEIGHT}
            rx={saved.state === 'packed' ? 2 : CHIP_HEIGHT / 2}
          />
        ))}
      {stale && (
        <>
          <path class="vg-chip-warning" d="M6,12.5L11,3.5L16,12.5Z" />
          <path class="vg-chip-bang" d="M11,6.5V9.2M11,10.4V11.4" />
        </>
      )}
      <text x={stale ? PADDING + CHIP_SIGN : PADDING} y={TEXT_LINE}>
        {text}
      </text>
    </g>
  );
}

function cutCorners(width: number): string {
  const right = width - CUT;
  const bottom = CHIP_HEIGHT - CUT;
  return `M${CUT},0H${right}L${width},${CUT}V${bottom}L${right},${CHIP_HEIGHT}H${CUT}L0,${bottom}V${CUT}Z`;
}

/** One line about a saved value, for a tooltip. */
export function describe(saved: Saved): string {
  const what = saved.value || (saved.dtype ? format.tensor(saved) : '');
  const versions =
    saved.storage === null
      ? ''
      : `saved at version ${format.counter(saved.version_saved)}, now ${saved.version_now}`;
  return [
    `${saved.name}: ${format.SAVED_WORDS[saved.state]}`,
    what,
    saved.bytes ? format.bytes(saved.bytes) : '',
    versions
  ]
    .filter(Boolean)
    .join(' · ');
}
