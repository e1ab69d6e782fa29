/** An edge: a line whose look tells whether a gradient went over it, and about how large. */
import type { JSX } from 'preact';

import type { Route } from '../layout/types';
import { memo } from '../memo';
import { lineWidth } from './flow';
import type { Flow } from './flow';
import { headPath, linePath } from './routePath';
import type { Detail } from './viewport';

interface LinkPathProps {
  readonly linkKey: string;
  readonly route: Route;
  readonly flow: Flow;
  readonly norm: number | null;
  readonly near: boolean;
  readonly detail: Detail;
}

function LinkPathInner({ linkKey, route, flow, norm, near, detail }: LinkPathProps): JSX.Element {
  const path = linePath(route);
  const odd = norm !== null && !Number.isFinite(norm);
  return (
    <g
      class={`vg-link${near ? ' vg-near' : ''}${odd ? ' vg-odd' : ''}`}
      data-flow={flow}
      data-link={linkKey}
      aria-hidden="true"
    >
      {detail === 'full' && <path class="vg-hit" d={path} />}
      <path class="vg-line" d={path} style={{ strokeWidth: lineWidth({ flow, norm }) }} />
      {detail !== 'shape' && <path class="vg-head" d={headPath(route)} />}
    </g>
  );
}

export const LinkPath = memo(LinkPathInner);
