/** Titles of groups, readable from far away. Decoration: the boxes have the names. */
import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';

import { memo } from '../memo';
import { titlePlaces } from './titlePlaces';
import type { Box } from './geometry';
import type { Picture } from './picture';

interface FarTitlesProps {
  readonly picture: Picture;
  readonly drawn: Box;
  readonly scale: number;
}

function FarTitlesInner({ picture, drawn, scale }: FarTitlesProps): JSX.Element {
  const titles = useMemo(() => titlePlaces(picture, drawn, scale), [picture, drawn, scale]);
  return (
    <g class="vg-far-titles" aria-hidden="true">
      {titles.map(({ key, text, x, y, size }) => (
        <text key={key} x={x} y={y} style={{ fontSize: `${size}px`, strokeWidth: size / 4 }}>
          {text}
        </text>
      ))}
    </g>
  );
}

export const FarTitles = memo(FarTitlesInner);
