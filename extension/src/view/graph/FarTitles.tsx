/** Titles of groups, readable from far away. Decoration: the boxes have the names. */
import type { JSX } from 'preact';
import { useMemo, useRef } from 'preact/hooks';

import type { Observable } from '../../store';
import { memo } from '../memo';
import type { Box, Size } from './geometry';
import type { Picture } from './picture';
import { titlePlaces } from './titlePlaces';
import { useSticky } from './useSticky';
import { seen } from './viewport';
import type { View } from './viewport';

interface FarTitlesProps {
  readonly picture: Picture;
  readonly view: Observable<View>;
  readonly screen: Size;
  readonly drawn: Box;
  readonly scale: number;
}

function FarTitlesInner({ picture, view, screen, drawn, scale }: FarTitlesProps): JSX.Element {
  const titles = useMemo(
    () => titlePlaces(picture, drawn, scale, seen(view.value, screen)),
    [picture, drawn, scale, screen]
  );
  const heads = useMemo(() => titles.flatMap(({ head }) => head ?? []), [titles]);
  const world = useRef<SVGGElement>(null);
  useSticky(world, view, screen, heads);
  return (
    <g ref={world} class="vg-far-titles" aria-hidden="true">
      {titles.map(({ key, text, x, y, size, head }) => (
        <g key={key} {...(head ? { class: 'vg-sticky' } : {})}>
          <text x={x} y={y} style={{ fontSize: `${size}px`, strokeWidth: size / 4 }}>
            {text}
          </text>
        </g>
      ))}
    </g>
  );
}

export const FarTitles = memo(FarTitlesInner);
