/** The toolbar: what moves the run, where it is, and under which modes. */
import { Fragment } from 'preact';
import type { JSX } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';

import type { CommandName } from '../../protocol';
import type { DebuggerState } from '../../store';
import { allows, commandOf } from '../commands';
import * as format from '../format';
import { metricsOf, TextMetrics } from '../graph/text';
import { useCommands, useSize } from '../hooks';
import { CommandButton } from './Button';
import { ModeStrip } from './ModeStrip';
import { Scrubber } from './Scrubber';
import { MenuButton, StepMenu } from './StepMenu';
import { wordsIn } from './toolWords';
import { PRESENTED } from '../width';

/** With less room, all but the steps waits in a menu, so that there is one row. */
const COMPACT = 700;
const COMPACT_TEACH = 940;
/** With less room, what is used least waits in a menu: names of what moves the run come first. */
const ROOMY = 900;

const TOOLS: readonly CommandName[] = ['continue', 'step', 'step-back'];
const OTHER_TOOLS: readonly CommandName[] = [
  'run-to-here',
  'toggle-breakpoint',
  'stop-at-nan',
  'restart',
  'stop'
];
/** Those whose names are written where there is room: the first before the others. */
const NAMED: readonly CommandName[] = ['continue', 'step-back', 'run-to-here', 'toggle-breakpoint'];
const VIEW_TOOLS: readonly CommandName[] = [
  'save-trace',
  'presentation',
  'pop-out',
  'open-window',
  'help'
];
const LEAST: readonly CommandName[] = ['save-trace', 'open-window'];
const TEACH: readonly CommandName[] = ['presentation'];

/** To teach, what a clicker does has large buttons with names; Step always has its own. */
const LARGE: readonly CommandName[] = ['step', 'step-back'];
const STEP: readonly CommandName[] = ['step'];

/** Pixels between parts of the toolbar; and what the slider, a word and two numbers need, by their digits. */
const GAP = 10;
const BETWEEN = 2;
const PROGRESS = 226;
const DIGITS = 16;

export function Toolbar({ state }: { state: DebuggerState }): JSX.Element {
  const commands = useCommands();
  const host = useRef<HTMLDivElement>(null);
  const teach = state.view.presentation;
  const room = (useSize(host)?.width ?? 0) / (teach ? PRESENTED : 1);
  const compact = room < (teach ? COMPACT_TEACH : COMPACT);
  const all = VIEW_TOOLS.filter(command => commands.has(command));
  const least = room < ROOMY ? LEAST.filter(command => commands.has(command)) : [];
  const waiting = compact ? [...OTHER_TOOLS, ...all] : least.length > 1 ? least : [];
  const viewTools = compact ? (teach ? TEACH : []) : all.filter(each => !waiting.includes(each));
  const tools = compact ? TOOLS : [...TOOLS, ...OTHER_TOOLS];
  const digits = format.whole(state.session?.run.total ?? 0).length;
  const [metrics, setMetrics] = useState(() => new TextMetrics());
  useLayoutEffect(() => {
    if (host.current) {
      setMetrics(metricsOf(host.current));
    }
  }, []);
  const always = teach ? LARGE : STEP;
  const label = (command: CommandName): string => commandOf(command).label;
  const words = wordsIn({
    room,
    buttons: tools.length + viewTools.length + (waiting.length > 0 ? 1 : 0),
    progress: PROGRESS + digits * DIGITS,
    always: always.map(label),
    names: NAMED.filter(each => tools.includes(each) && !always.includes(each)).map(label),
    large: teach,
    measure: name => metrics.width(name, 'leaf')
  });
  // Where one line has no room for all, where the run is has one to itself.
  const [stacked, setStacked] = useState(false);
  useLayoutEffect(() => {
    const buttons = [
      ...(host.current?.querySelectorAll<HTMLElement>('.vg-toolbar-group > *') ?? [])
    ];
    const taken = buttons.reduce((sum, { offsetWidth }) => sum + offsetWidth + BETWEEN, 2 * GAP);
    setStacked(taken + PROGRESS + digits * DIGITS > room);
  }, [room, digits, compact, words.size]);
  const { session, working } = state;
  const run = session?.run;
  const running = working?.what === 'running' ? working : null;
  const seconds = Math.floor(running?.seconds ?? 0);
  const lasting = seconds >= 1 ? ` · ${seconds} s` : '';
  return (
    <div ref={host} class={stacked ? 'vg-toolbar vg-stacked' : 'vg-toolbar'}>
      <div class="vg-toolbar-group" role="toolbar" aria-label="Debugger">
        {tools.map(command => (
          <Fragment key={command}>
            <CommandButton
              command={command === 'continue' && running ? 'pause' : command}
              labelled={words.has(label(command))}
              primary={command === 'step'}
            />
            {command === 'step' && <StepMenu />}
          </Fragment>
        ))}
      </div>
      {run && (
        <div class="vg-progress" style={{ '--vg-digits': digits }}>
          <Scrubber
            run={running ? { ...run, position: running.done } : run}
            disabled={running !== null || !allows(state, 'open')}
          />
          <span class="vg-position">
            {run.total > 0 ? (
              <>
                <b>{format.whole(running?.done ?? format.doneCount(run))}</b> of{' '}
                <b>{format.whole(run.total)}</b> done
              </>
            ) : (
              'no steps recorded'
            )}
          </span>
          <span
            class="vg-status"
            data-run-status={session.closed ? 'closed' : run.status}
            title={`${statusOf(state)}${lasting}`}
          >
            <span class="vg-status-word">{statusOf(state)}</span>
            {lasting}
          </span>
        </div>
      )}
      {run && <ModeStrip modes={run.modes} />}
      <div class="vg-toolbar-group vg-toolbar-view" role="toolbar" aria-label="View">
        {viewTools.map(command => (
          <CommandButton key={command} command={command} />
        ))}
        {waiting.length > 0 && (
          <MenuButton
            name="More"
            hint={
              compact
                ? 'Show commands that have no room here: breakpoints, restart, layout, help'
                : 'Show commands that have no room here'
            }
            icon="dots"
            of={waiting}
          />
        )}
      </div>
    </div>
  );
}

/** In a word or a few; of a kernel that is gone nothing is paused. */
function statusOf({ moving, port, session, working }: DebuggerState): string {
  if (session?.closed) {
    return 'closed';
  }
  if (port.state === 'closed') {
    return 'gone';
  }
  if (working?.what === 'running') {
    const { node } = working;
    return node ? `running ${node.name} ${node.label}`.trimEnd() : 'running…';
  }
  if (working?.what === 'reading') {
    return `reading ${format.whole(working.total)} nodes…`;
  }
  return moving ? 'running…' : (session?.run.status ?? '');
}
