/** The buttons in the head of the graph. */
import type { JSX } from 'preact';

import { Icon } from '../Icons';
import type { IconName } from '../Icons';

export interface GraphToolsProps {
  readonly foldable: boolean;
  /** Whether colours say how large gradients are. */
  readonly heated: boolean;
  search(): void;
  fit(): void;
  zoom(factor: number): void;
  fold(open: boolean): void;
  heat(on: boolean): void;
}

export function GraphTools(props: GraphToolsProps): JSX.Element {
  const { foldable, heated, search, fit, zoom, fold, heat } = props;
  return (
    <div class="vg-graph-tools" role="toolbar" aria-label="Graph view">
      <Tool icon="search" label="Search nodes" hint="/" act={search} />
      <Tool icon="fit" label="Zoom to fit" hint="f" act={fit} />
      <Tool icon="plus" label="Zoom in" hint="+" act={() => zoom(1.25)} />
      <Tool icon="minus" label="Zoom out" hint="−" act={() => zoom(0.8)} />
      {foldable && (
        <>
          <Tool icon="fold" label="Fold all groups" act={() => fold(false)} />
          <Tool icon="unfold" label="Open groups, one level more" act={() => fold(true)} />
        </>
      )}
      <Tool icon="heat" label="Colour by gradient" pressed={heated} act={() => heat(!heated)} />
    </div>
  );
}

interface ToolProps {
  readonly icon: IconName;
  readonly label: string;
  readonly hint?: string;
  readonly pressed?: boolean;
  act(): void;
}

function Tool({ icon, label, hint, pressed, act }: ToolProps): JSX.Element {
  const title = hint ? `${label} (${hint})` : label;
  return (
    <button
      type="button"
      class="vg-button"
      aria-label={label}
      aria-pressed={pressed}
      title={title}
      onClick={act}
    >
      <Icon name={icon} />
    </button>
  );
}
