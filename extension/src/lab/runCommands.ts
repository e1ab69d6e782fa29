/**
 * The moves of a backward as JupyterLab commands: in the palette, and free to be given keys. They act
 * on the session in the side panel. Inside the view the keys are the view's own.
 */
import type { JupyterFrontEnd } from '@jupyterlab/application';

import type { MountedView } from '../view';

type Command = Parameters<MountedView['perform']>[0];

interface RunCommand {
  readonly id: string;
  readonly command: Command;
  readonly label: string;
  readonly caption: string;
}

export const RUN_COMMANDS: readonly RunCommand[] = [
  {
    id: 'vizgrad:step',
    command: 'step',
    label: 'Step',
    caption: 'Run one node of the backward'
  },
  {
    id: 'vizgrad:step-back',
    command: 'back',
    label: 'Step Back',
    caption: 'Undo one node of the backward'
  },
  {
    id: 'vizgrad:continue',
    command: 'continue',
    label: 'Continue',
    caption: 'Run the backward to the next breakpoint or the end'
  },
  {
    id: 'vizgrad:run-to-here',
    command: 'runTo',
    label: 'Run to the Selected Node',
    caption: 'Run, or step back, until the selected node is next'
  },
  {
    id: 'vizgrad:toggle-breakpoint',
    command: 'breakpoint',
    label: 'Toggle Breakpoint on the Selected Node',
    caption: 'Stop before the selected node runs'
  },
  {
    id: 'vizgrad:restart',
    command: 'restart',
    label: 'Restart the Backward',
    caption: 'Back to the start of the backward'
  },
  {
    id: 'vizgrad:stop',
    command: 'stop',
    label: 'Stop the Backward',
    caption: 'Close the session and release what it holds'
  }
];

/** `view` gives the panel's view, or null before the panel has been shown. */
export function addRunCommands(
  commands: JupyterFrontEnd['commands'],
  view: () => MountedView | null
): void {
  for (const { id, command, label, caption } of RUN_COMMANDS) {
    commands.addCommand(id, {
      label,
      caption,
      describedBy: { args: { type: 'object', properties: {} } },
      isEnabled: () => view()?.can(command) ?? false,
      execute: () => view()?.perform(command)
    });
  }
}
