/** The buttons in the head of the graph. */
import type { JSX } from 'preact';

import type { CommandName } from '../../protocol';
import { CommandButton } from '../frame/Button';

const ALWAYS: readonly CommandName[] = ['search', 'zoom-to-fit', 'zoom-in', 'zoom-out'];
const FOLDING: readonly CommandName[] = ['fold-all', 'open-groups'];

interface GraphToolsProps {
  readonly foldable: boolean;
  /** There is another run to compare this one with. */
  readonly branched: boolean;
}

export function GraphTools({ foldable, branched }: GraphToolsProps): JSX.Element {
  const listed: readonly CommandName[] = [
    ...ALWAYS,
    ...(foldable ? FOLDING : []),
    'colour-by-gradient'
  ];
  return (
    <div class="vg-graph-tools" role="toolbar" aria-label="Graph view">
      {branched && <CommandButton command="compare-branch" worded />}
      {listed.map(command => (
        <CommandButton key={command} command={command} />
      ))}
    </div>
  );
}
