/**
 * The parts and how they share the room. Side by side where there is much of it; else the graph above and
 * tabs below, beside which, if it is not too narrow, the engine stays in sight.
 */
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';

import type { CommandName } from '../../protocol';
import { causeOf, runningIn, wayOf } from '../../store';
import type { DebuggerState, SessionState } from '../../store';
import { GraphPanel } from '../graph/GraphPanel';
import {
  Branches,
  Breakpoints,
  Engine,
  Events,
  Explained,
  Inside,
  Inspector,
  LaneView,
  Memory,
  SavedTensors,
  Versions
} from '../panels';
import { branchesNote } from '../panels/Branches';
import { breakpointsNote } from '../panels/Breakpoints';
import { insideNote } from '../panels/Inside';
import { laneNote } from '../panels/LaneView';
import { memoryNote } from '../panels/Memory';
import { savedNote } from '../panels/SavedTensors';
import { versionsNote } from '../panels/Versions';
import * as format from '../format';
import { useCommands, useStore } from '../hooks';
import { hostOf } from '../host';
import type { Width } from '../width';
import { Button, CommandButton } from './Button';
import type { Part } from './part';
import { Region } from './Region';
import { Splitter } from './Splitter';
import { Tabs } from './Tabs';

/** What leads on within a node, and out of it. */
const INSIDE: readonly CommandName[] = ['stage-back', 'stage', 'step-in', 'step-out'];

interface PanelsProps {
  readonly state: DebuggerState;
  readonly session: SessionState;
  readonly width: Width;
}

export function Panels({ state, session, width }: PanelsProps): JSX.Element {
  const [columns, setColumns] = useState(0.6);
  const [rows, setRows] = useState(0.73);
  const [stack, setStack] = useState(0.52);
  const [tab, setTab] = useState<string | null>(null);
  const { follow, selection } = state.view;

  // Who chooses a node by hand wants to read about it.
  useEffect(() => {
    if (!follow && selection !== null) {
      const read = (tab: string | null): boolean => tab === 'Why' && wayOf(state).has(selection);
      setTab(tab => (read(tab) ? tab : 'Inspector'));
    }
  }, [follow, selection]);

  const commands = useCommands();
  // Who asks why wants to read the answer.
  const { why } = state;
  useEffect(() => {
    setTab(tab => (why !== null ? 'Why' : tab === 'Why' ? 'Inspector' : tab));
  }, [why]);

  const running = runningIn(state);
  const { within } = session.run;
  const graph = (
    <div class="vg-pane vg-row vg-lanes">
      <GraphPanel
        session={session}
        view={state.view}
        why={why}
        running={running}
        host={hostOf(document)}
      />
      {within && (
        <Region
          name="Inside"
          note={() => insideNote(session)}
          tools={INSIDE.map(command => (
            <CommandButton key={command} command={command} />
          ))}
        >
          <Inside within={within} />
          <LaneView session={session} />
        </Region>
      )}
      {!within && (session.run.grows || session.run.recomputes) && (
        <Region
          name={session.run.grows ? 'Second order' : 'Recomputation'}
          note={() => laneNote(session)}
          tools={session.run.grows ? <CommandButton command="debug-second" /> : undefined}
        >
          <LaneView session={session} />
        </Region>
      )}
    </div>
  );
  const stale = session.saved.stale;
  const inspector: Part = {
    name: 'Inspector',
    ...(commands.has('why') ? { tools: <CommandButton command="why" /> } : {}),
    draw: () => <Inspector state={state} session={session} />
  };
  const explained: Part | null = why && {
    name: 'Why',
    tools: <WhyTools why={why} />,
    draw: () => <Explained why={why} session={session} />
  };
  const saved: Part = {
    name: 'Saved tensors',
    short: 'Saved',
    note: () => savedNote(session),
    ...(stale > 0 ? { sign: `${stale} stale` } : {}),
    draw: () => <SavedTensors session={session} />
  };
  const versions: Part = {
    name: 'Versions',
    note: () => versionsNote(session),
    draw: () => <Versions session={session} />
  };
  const breakpoints: Part = {
    name: 'Breakpoints',
    note: () => breakpointsNote(session),
    draw: () => <Breakpoints session={session} />
  };
  const branches: Part = {
    name: 'Branches',
    note: () => branchesNote(session),
    draw: () => <Branches session={session} view={state.view} />
  };
  const engine: Part = {
    name: 'Engine',
    note: () => `${session.fold.readyCount} ready`,
    draw: () => (
      <>
        <Engine session={session} running={running} />
        {width !== 'wide' && [breakpoints, branches].map(inRegion)}
      </>
    )
  };
  const memory: Part = {
    name: 'Memory',
    note: () => memoryNote(session),
    tools: <CommandButton command="memory" />,
    draw: () => <Memory session={session} />
  };
  const events: Part = {
    name: 'Events',
    note: () => format.count(session.run.recorded, 'visit'),
    draw: () => <Events session={session} />
  };

  if (width !== 'wide') {
    const beside = width === 'medium';
    const others = [...(explained ? [explained] : []), inspector, saved, versions, events, memory];
    return (
      <div class="vg-body">
        <div class="vg-pane vg-pane-graph" style={{ '--vg-share': stack }}>
          {graph}
        </div>
        <Splitter
          name="Share of the graph's height"
          direction="rows"
          share={stack}
          change={setStack}
        />
        <div class="vg-pane vg-row">
          <Tabs
            parts={beside ? others : [engine, ...others]}
            chosen={tab ?? 'Inspector'}
            choose={setTab}
          />
          {beside && inRegion(engine)}
        </div>
      </div>
    );
  }
  return (
    <div class="vg-body vg-columns">
      <div class="vg-column" style={{ flexBasis: `${columns * 100}%` }}>
        <div class="vg-pane vg-pane-graph" style={{ '--vg-share': rows }}>
          {graph}
        </div>
        <Splitter
          name="Share of the graph's height"
          direction="rows"
          share={rows}
          change={setRows}
        />
        <div class="vg-pane vg-row">{[versions, engine, events].map(inRegion)}</div>
      </div>
      <Splitter
        name="Share of the graph's width"
        direction="columns"
        share={columns}
        change={setColumns}
      />
      <div class="vg-column" style={{ flexBasis: `${(1 - columns) * 100}%` }}>
        {explained && <div class="vg-pane vg-pane-why">{inRegion(explained)}</div>}
        <div class="vg-pane vg-pane-inspector">{inRegion(inspector)}</div>
        <div class="vg-pane vg-pane-saved">{inRegion(saved)}</div>
        <div class="vg-pane vg-pane-memory">{inRegion(memory)}</div>
        <div class="vg-pane vg-row vg-pane-breakpoints">
          {[breakpoints, branches].map(inRegion)}
        </div>
      </div>
    </div>
  );
}

function WhyTools({ why }: { why: NonNullable<DebuggerState['why']> }): JSX.Element {
  const store = useStore();
  return (
    <>
      {causeOf(why.told) !== null && <CommandButton command="show-cause" labelled />}
      <Button icon="close" name="Close Why" act={() => store.actions.closeWhy()} />
    </>
  );
}

function inRegion(part: Part): JSX.Element {
  return (
    <Region key={part.name} {...part}>
      {part.draw()}
    </Region>
  );
}
