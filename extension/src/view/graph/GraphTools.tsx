/** The buttons in the head of the graph. */
import type { JSX } from 'preact';

import { Icon } from '../Icons';
import type { IconName } from '../Icons';

export interface GraphToolsProps {
  readonly foldable: boolean;
  search(): void;
  fit(): void;
  zoom(factor: number): void;
  fold(open: boolean): void;
}

export function GraphTools({ foldable, search, fit, zoom, fold }: GraphToolsProps): JSX.Element {
  return (
    <div class="vg-graph-tools" role="toolbar" aria-label="Graph view">
      <Tool icon="search" label="Search nodes" hint="/" act={search} />
      <Tool icon="fit" label="Zoom to fit" hint="f" act={fit} />
      <Tool icon="plus" label="Zoom in" hint="+" act={() => zoom(1.25)} />
      <Tool icon="minus" label="Zoom out" hint="−" act={() => zoom(0.8)} />
      {foldable && (
        <>
          <Tool icon="fold" label="Fold all groups" act={() => fold(false)} />
          <Tool icon="unfold" label="Open all groups" act={() => fold(true)} />
        </>
      )}
    </div>
  );
}

interface ToolProps {
  readonly icon: IconName;
  readonly label: string;
  readonly hint?: string;
  act(): void;
}

function Tool({ icon, label, hint, act }: ToolProps): JSX.Element {
  const title = hint ? `${label} (${hint})` : label;
  return (
    <button type="button" class="vg-button" aria-label={label} title={title} onClick={act}>
      <Icon name={icon} />
    </button>
  );
}
