/** The toolbar: what moves the run, where it is, and under which modes. */
import type { JSX } from 'preact';

import type { CommandName } from '../../protocol';
import type { DebuggerState } from '../../store';
import { allows } from '../commands';
import * as format from '../format';
import { useCommands } from '../hooks';
import type { Width } from '../width';
import { CommandButton } from './Button';
import { ModeStrip } from './ModeStrip';
import { Scrubber } from './Scrubber';

interface Tool {
  readonly command: CommandName;
  /** The narrowest view in which the name is written beside the icon; absent: it never is. */
  readonly labelled?: Width;
}

const TOOLS: readonly Tool[] = [
  { command: 'continue', labelled: 'wide' },
  { command: 'step', labelled: 'narrow' },
  { command: 'step-back', labelled: 'wide' },
  { command: 'run-to-here', labelled: 'narrow' },
  { command: 'toggle-breakpoint', labelled: 'narrow' },
  { command: 'stop-at-nan' },
  { command: 'restart' },
  { command: 'stop' }
];
const VIEW_TOOLS: readonly CommandName[] = ['presentation', 'pop-out', 'open-window', 'help'];
const WIDTHS: readonly Width[] = ['narrow', 'medium', 'wide'];

interface ToolbarProps {
  readonly state: DebuggerState;
  readonly width: Width;
}

export function Toolbar({ state, width }: ToolbarProps): JSX.Element {
  const commands = useCommands();
  const { session, working } = state;
  const run = session?.run;
  const running = working?.what === 'running' ? working : null;
  const seconds = Math.floor(running?.seconds ?? 0);
  const lasting = seconds >= 1 ? ` · ${seconds} s` : '';
  return (
    <div class="vg-toolbar">
      <div class="vg-toolbar-group" role="toolbar" aria-label="Debugger">
        {TOOLS.map(({ command, labelled }) => (
          <CommandButton
            key={command}
            command={command === 'continue' && running ? 'pause' : command}
            labelled={labelled !== undefined && WIDTHS.indexOf(width) >= WIDTHS.indexOf(labelled)}
            primary={command === 'step'}
          />
        ))}
      </div>
      {run && (
        <div class="vg-progress" style={{ '--vg-digits': format.whole(run.total).length }}>
          <Scrubber
            run={running ? { ...run, position: running.done } : run}
            disabled={running !== null || !allows(state, 'open')}
          />
          <span class="vg-position">
            node <b>{format.whole(running?.done ?? run.position)}</b> of{' '}
            <b>{format.whole(run.total)}</b>
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
        {VIEW_TOOLS.filter(command => commands.has(command)).map(command => (
          <CommandButton key={command} command={command} />
        ))}
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
