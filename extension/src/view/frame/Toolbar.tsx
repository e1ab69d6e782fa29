/** The toolbar: what moves the run, where it is, and under which modes. */
import type { JSX } from 'preact';

import type { DebuggerState } from '../../store';
import { useStore } from '../hooks';
import type { Width } from '../width';
import { Button } from './Button';
import { can } from './commands';
import { ModeStrip } from './ModeStrip';
import { Scrubber } from './Scrubber';

const STATUS = { paused: 'paused', finished: 'finished', failed: 'failed', closed: 'closed' };

export function Toolbar({ state, width }: { state: DebuggerState; width: Width }): JSX.Element {
  const store = useStore();
  const { session, view } = state;
  const run = session?.run;
  const able = can(state);
  const node = view.selection;
  const marked = node !== null && (run?.breakpoints.includes(node) ?? false);
  const wide = width === 'wide';
  const status = session?.closed ? 'closed' : run?.status;
  return (
    <div class="vg-toolbar">
      <div class="vg-toolbar-group" role="toolbar" aria-label="Debugger">
        <Button
          icon="continue"
          name="Continue"
          keys="F9"
          labelled={wide}
          disabled={!able.advance}
          act={() => store.continue()}
          hint="Continue to the next breakpoint or the end"
        />
        <Button
          icon="step"
          name="Step"
          keys="F10"
          labelled={width !== 'narrow'}
          primary
          disabled={!able.advance}
          act={() => store.step()}
          hint="Run one node"
        />
        <Button
          icon="back"
          name="Step back"
          keys="Shift+F10"
          labelled={wide}
          disabled={!able.back}
          act={() => store.back()}
          hint="Undo one node"
        />
        <Button
          icon="runTo"
          name="Run to here"
          keys="R"
          disabled={!able.runTo}
          act={() => node !== null && store.runTo(node)}
          hint="Run (or step back) until the selected node is next"
        />
        <Button
          icon="restart"
          name="Restart"
          disabled={!able.restart}
          act={() => store.restart()}
          hint="Back to the start"
        />
        <Button
          icon="stop"
          name="Stop"
          keys="Shift+F9"
          disabled={!able.stop}
          act={() => store.stop()}
          hint="Close the session and release what it holds"
        />
        <span class="vg-separator" />
        <Button
          icon="breakpoint"
          name="Add breakpoint"
          keys="B"
          pressed={marked}
          disabled={!able.mark}
          act={() => node !== null && store.toggleBreakpoint(node)}
          hint={
            marked ? 'Remove the breakpoint on the selected node' : 'Break before the selected node'
          }
        />
      </div>
      {run && (
        <div class="vg-progress">
          <Scrubber run={run} disabled={!able.seek} />
          <span class="vg-position">
            node <b>{run.position}</b> of <b>{run.total}</b>
          </span>
          {status && (
            <span class="vg-status" data-run-status={status}>
              {state.moving ? 'running…' : STATUS[status]}
            </span>
          )}
        </div>
      )}
      {run && <ModeStrip modes={run.modes} short={!wide} />}
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
