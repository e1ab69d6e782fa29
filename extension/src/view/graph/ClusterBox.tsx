/** An open group: a frame around its boxes, with a title that folds it. */
import type { JSX } from 'preact';

import type { Box } from '../layout/types';
import { memo } from '../memo';
import type { Group } from './scopes';
import type { TextMetrics } from './text';
import type { Detail } from './viewport';

interface ClusterBoxProps {
  readonly group: Group;
  readonly box: Box;
  readonly detail: Detail;
  readonly metrics: TextMetrics;
  readonly focusable: boolean;
}

function ClusterBoxInner(props: ClusterBoxProps): JSX.Element {
  const { group, box, detail, metrics, focusable } = props;
  const title = metrics.fit(group.title, box.width - 34, 'sub');
  return (
    <g class="vg-cluster" data-depth={group.depth % 2} transform={`translate(${box.x},${box.y})`}>
      <rect class="vg-frame" width={box.width} height={box.height} rx={8} />
      {detail !== 'shape' && (
        <g
          class="vg-cluster-title"
          role="treeitem"
          aria-expanded={true}
          aria-label={`${group.title}, open group of ${group.size} nodes`}
          tabindex={focusable ? 0 : -1}
          data-toggle={group.id}
          data-key={`c${group.id}`}
        >
          <title>{`${group.path.join(' › ')} (click to fold)`}</title>
          <rect
            x={3}
            y={2}
            width={Math.min(1.08 * metrics.width(title, 'sub') + 26, box.width - 6)}
            height={16}
            rx={4}
          />
          <path d="M8 10h6" />
          <text x={19} y={14}>
            {title}
          </text>
        </g>
      )}
    </g>
  );
}

export const ClusterBox = memo(ClusterBoxInner);
