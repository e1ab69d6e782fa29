/**
 * The parts and how they share the room. The graph and the Inspector are always there, side by side where there is
 * much room; all else waits in the tabs of a drawer, which say so where there is something to see. To teach, Engine and
 * Saved tensors stand beside the graph. Where there is little room the graph is above, and one tab of all below.
 */
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';

import type { CommandName } from '../../protocol';
import { causeOf, ranksOf, runningIn, wayOf } from '../../store';
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
  Versions,
  WatchList
} from '../panels';
import { branchesNote } from '../panels/Branches';
import { breakpointsNote } from '../panels/Breakpoints';
import { engineNote } from '../panels/Engine';
import { insideNote } from '../panels/Inside';
import { laneNote } from '../panels/LaneView';
import { memoryNote } from '../panels/Memory';
import { savedNote } from '../panels/SavedTensors';
import { versionsNote, writtenCount } from '../panels/Versions';
import { watchNote } from '../panels/WatchList';
import * as format from '../format';
import { useCommands, useStore } from '../hooks';
import { hostOf } from '../host';
import { useLayout } from '../layout';
import type { Width } from '../width';
import { asksWhy, Banner } from './Banner';
import { Button, CommandButton } from './Button';
import { Drawer } from './Drawer';
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
  const [layout, arrange] = useLayout();
  /** Of the tabs that are always open: those beside the graph, or below it where it is narrow. */
  const [tab, setTab] = useState<string | null>(null);
  const { follow, selection, presentation: teach } = state.view;
  const { why } = state;

  // Who chooses a node by hand wants to read about it.
  useEffect(() => {
    if (!follow && selection !== null) {
      const read = (tab: string | null): boolean => tab === 'Why' && wayOf(state).has(selection);
      setTab(tab => (read(tab) ? tab : 'Inspector'));
    }
  }, [follow, selection]);

  const commands = useCommands();
  // Who asks why wants to read the answer.
  useEffect(() => {
    setTab(tab => (why !== null ? 'Why' : tab === 'Why' ? 'Inspector' : tab));
    if (why !== null && teach) {
      arrange({ drawer: 'Why' });
    }
  }, [why]);

  const running = runningIn(state);
  const { within } = session.run;
  const graph = (
    <div class="vg-pane vg-row vg-lanes">
      <GraphPanel
        session={session}
        view={state.view}
        why={why}
        ranks={ranksOf(session, state.ranks)}
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
    ...(commands.has('why') && !asksWhy(state, selection) && !isHealthy(state, selection)
      ? { tools: <CommandButton command="why" worded /> }
      : {}),
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
  const written = writtenCount(session);
  const versions: Part = {
    name: 'Versions',
    note: () => versionsNote(session),
    ...(written > 0 ? { sign: `${written} written` } : {}),
    draw: () => <Versions session={session} />
  };
  const set = session.run.breakpoint_list.length;
  const breakpoints: Part = {
    name: 'Breakpoints',
    note: () => breakpointsNote(session),
    ...(set > 0 ? { sign: `${set} set` } : {}),
    draw: () => <Breakpoints session={session} />
  };
  const watch: Part = {
    name: 'Watch',
    note: () => watchNote(session),
    draw: () => <WatchList state={state} session={session} />
  };
  const others = Math.max(session.run.branches.length - 1, 0);
  const branches: Part = {
    name: 'Branches',
    note: () => branchesNote(session),
    ...(others > 0 ? { sign: format.count(others, 'branch', 'branches') } : {}),
    draw: () => <Branches session={session} view={state.view} />
  };
  const engine: Part = {
    name: 'Engine',
    note: () => engineNote(session, running),
    draw: () => <Engine session={session} running={running} />
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
    ...(session.run.logged > 0 ? { sign: `${session.run.logged} logged` } : {}),
    draw: () => <Events session={session} running={running !== null} />
  };
  const about = [inspector, ...(explained ? [explained] : [])];
  // A trace has no variables: there is nothing to watch.
  const watches = commands.has('stop') ? [watch] : [];
  const rest = [versions, memory, events, branches, breakpoints, ...watches];

  if (width !== 'wide') {
    const stack = teach ? layout.taught : layout.stack;
    return (
      <div class="vg-body">
        <div class="vg-pane vg-pane-graph" style={{ '--vg-share': stack }}>
          {graph}
        </div>
        <Splitter
          name="Share of the graph's height"
          direction="rows"
          share={stack}
          change={share => arrange(teach ? { taught: share } : { stack: share })}
        />
        <div class="vg-pane vg-row">
          <Tabs
            parts={[...about, saved, engine, ...rest]}
            chosen={tab ?? (teach ? 'Engine' : 'Inspector')}
            choose={setTab}
          />
        </div>
      </div>
    );
  }
  const drawn = teach ? [...about, ...rest] : [saved, engine, ...rest];
  // Another layout may have opened one that stands elsewhere in this.
  const open = drawn.find(({ name }) => name === layout.drawer)?.name ?? null;
  return (
    <div class="vg-body">
      <div
        class="vg-columns"
        style={open !== null ? { flex: 'none', height: `${layout.rows * 100}%` } : undefined}
      >
        <div class="vg-column" style={{ flexBasis: `${layout.columns * 100}%` }}>
          {graph}
        </div>
        <Splitter
          name="Share of the graph's width"
          direction="columns"
          share={layout.columns}
          change={columns => arrange({ columns })}
        />
        <div class="vg-column" style={{ flexBasis: `${(1 - layout.columns) * 100}%` }}>
          <div class="vg-said">
            <Banner state={state} />
          </div>
          {teach ? (
            [engine, saved].map(inRegion)
          ) : explained ? (
            <Tabs parts={about} chosen={tab ?? 'Inspector'} choose={setTab} />
          ) : (
            inRegion(inspector)
          )}
        </div>
      </div>
      <Drawer
        parts={drawn}
        open={open}
        share={layout.rows}
        choose={drawer => arrange({ drawer })}
        resize={rows => arrange({ rows })}
      />
    </div>
  );
}

/** Was it answered, where the run stands, that there is nothing to explain of this node? */
function isHealthy({ why, session }: DebuggerState, node: number | null): boolean {
  return (
    why !== null &&
    why.told.kind === 'healthy' &&
    why.told.node === node &&
    why.position === session?.run.position
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
