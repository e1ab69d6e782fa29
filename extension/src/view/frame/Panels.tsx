/** The regions and how they share the room: side by side, in two columns, or stacked. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';

import type { DebuggerState, SessionState } from '../../store';
import { GraphPanel } from '../graph/GraphPanel';
import { Engine } from '../panels/Engine';
import { Events } from '../panels/Events';
import { Inspector } from '../panels/Inspector';
import { Memory, memoryNote } from '../panels/Memory';
import { savedNote, SavedTensors } from '../panels/SavedTensors';
import { Versions, versionsNote } from '../panels/Versions';
import * as format from '../format';
import type { Width } from '../width';
import { CommandButton } from './Button';
import { Region } from './Region';
import { Splitter } from './Splitter';

interface PanelsProps {
  readonly state: DebuggerState;
  readonly session: SessionState;
  readonly width: Width;
}

export function Panels({ state, session, width }: PanelsProps): JSX.Element {
  const [columns, setColumns] = useState(0.6);
  const [rows, setRows] = useState(0.66);
  const stacked = width === 'narrow';

  const graph = <GraphPanel session={session} view={state.view} />;
  const inspector = (
    <Region name="Inspector" foldable={stacked} tools={<CommandButton command="follow" />}>
      <Inspector state={state} session={session} />
    </Region>
  );
  const saved = (
    <Region name="Saved tensors" foldable={stacked} note={savedNote(session)}>
      <SavedTensors session={session} />
    </Region>
  );
  const versions = (
    <Region name="Versions" foldable={stacked} note={versionsNote(session)}>
      <Versions session={session} />
    </Region>
  );
  const engine = (
    <Region name="Engine" foldable={stacked} note={`${session.fold.readyCount} ready`}>
      <Engine session={session} />
    </Region>
  );
  const memory = (
    <Region name="Memory" foldable={stacked} note={memoryNote(session)}>
      <Memory session={session} />
    </Region>
  );
  const events = (
    <Region name="Events" foldable={stacked} note={format.count(session.run.recorded, 'visit')}>
      <Events session={session} />
    </Region>
  );

  if (width !== 'wide') {
    return (
      <div class="vg-body">
        {graph}
        {inspector}
        {saved}
        {versions}
        {engine}
        {events}
        {memory}
      </div>
    );
  }
  return (
    <div class="vg-body vg-columns">
      <div class="vg-column" style={{ flexBasis: `${columns * 100}%` }}>
        <div class="vg-pane" style={{ flexBasis: `${rows * 100}%` }}>
          {graph}
        </div>
        <Splitter
          name="Share of the graph's height"
          direction="rows"
          share={rows}
          change={setRows}
        />
        <div class="vg-pane vg-row" style={{ flexBasis: `${(1 - rows) * 100}%` }}>
          {versions}
          {engine}
          {events}
        </div>
      </div>
      <Splitter
        name="Share of the graph's width"
        direction="columns"
        share={columns}
        change={setColumns}
      />
      <div class="vg-column" style={{ flexBasis: `${(1 - columns) * 100}%` }}>
        <div class="vg-pane vg-pane-inspector">{inspector}</div>
        <div class="vg-pane vg-pane-saved">{saved}</div>
        <div class="vg-pane vg-pane-memory">{memory}</div>
      </div>
    </div>
  );
}
