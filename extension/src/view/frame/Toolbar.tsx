/** The toolbar: what moves the run, where it is, and under which modes. */
import type { JSX } from 'preact';

import type { DebuggerState } from '../../store';
import { useStore } from '../hooks';
import type { IconName } from '../Icons';
import type { Width } from '../width';
import { Button } from './Button';
import { can, perform } from './commands';
import type { RunCommand } from './commands';
import { ModeStrip } from './ModeStrip';
import { Scrubber } from './Scrubber';

interface Tool {
  readonly command: RunCommand;
  readonly icon: IconName;
  readonly name: string;
  readonly hint: string;
  readonly keys?: string;
  /** The narrowest view in which the name is written beside the icon. */
  readonly labelled?: Width;
}

const TOOLS: readonly Tool[] = [
  {
    command: 'continue',
    icon: 'continue',
    name: 'Continue',
    hint: 'Continue to the next breakpoint or the end',
    keys: 'F9',
    labelled: 'wide'
  },
  {
    command: 'step',
    icon: 'step',
    name: 'Step',
    hint: 'Run one node',
    keys: 'F10',
    labelled: 'medium'
  },
  {
    command: 'back',
    icon: 'back',
    name: 'Step back',
    hint: 'Undo one node',
    keys: 'Shift+F10',
    labelled: 'wide'
  },
  {
    command: 'runTo',
    icon: 'runTo',
    name: 'Run to here',
    hint: 'Run (or step back) until the selected node is next',
    keys: 'R'
  },
  { command: 'restart', icon: 'restart', name: 'Restart', hint: 'Back to the start' },
  {
    command: 'stop',
    icon: 'stop',
    name: 'Stop',
    hint: 'Close the session and release what it holds',
    keys: 'Shift+F9'
  }
];

interface ToolbarProps {
  readonly state: DebuggerState;
  readonly width: Width;
  /** There is room for every mode. */
  readonly roomy: boolean;
}

export function Toolbar({ state, width, roomy }: ToolbarProps): JSX.Element {
  const store = useStore();
  const { session, view } = state;
  const run = session?.run;
  const node = view.selection;
  const marked = node !== null && (run?.breakpoints.includes(node) ?? false);
  return (
    <div class="vg-toolbar">
      <div class="vg-toolbar-group" role="toolbar" aria-label="Debugger">
        {TOOLS.map(({ command, labelled, ...tool }) => (
          <Button
            key={command}
            {...tool}
            labelled={labelled === width || (labelled === 'medium' && width === 'wide')}
            primary={command === 'step'}
            disabled={!can(state, command)}
            act={() => perform(store, command)}
          />
        ))}
        <span class="vg-separator" />
        <Button
          icon="breakpoint"
          name="Add breakpoint"
          keys="B"
          pressed={marked}
          disabled={!can(state, 'breakpoint')}
          act={() => perform(store, 'breakpoint')}
          hint={
            marked ? 'Remove the breakpoint on the selected node' : 'Break before the selected node'
          }
        />
      </div>
      {run && (
        <div class="vg-progress">
          <Scrubber run={run} disabled={!can(state, 'seek')} />
          <span class="vg-position">
            node <b>{run.position}</b> of <b>{run.total}</b>
          </span>
          <span class="vg-status" data-run-status={session.closed ? 'closed' : run.status}>
            {state.moving ? 'running…' : session.closed ? 'closed' : run.status}
          </span>
        </div>
      )}
      {run && <ModeStrip modes={run.modes} short={!roomy} />}
      <Button
        icon="help"
        name="Help"
        keys="?"
        pressed={view.help}
        act={() => store.view({ help: !view.help })}
      />
    </div>
  );
}
