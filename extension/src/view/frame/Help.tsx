/** Keys, signs, and how the same is written in code: laid over the view until Escape. */
import type { JSX } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

import { COMMANDS, GESTURES, IN_CODE, NODE_STATES } from '../../protocol';
import type { Command, NodeState, Section } from '../../protocol';
import { useCommands } from '../hooks';
import { Icon, StateIcon } from '../Icons';
import { keysOf } from '../host';
import { Sentence, unquoted } from '../Sentence';

const SECTIONS: Readonly<Record<Section, string>> = {
  Run: 'The run',
  Graph: 'The graph',
  View: 'The view',
  Notebook: 'The notebook'
};

const STATES: Readonly<Record<NodeState, string>> = {
  waiting: 'waiting: not all gradients have arrived',
  ready: 'ready: in the queue',
  current: 'current: Step runs it next',
  done: 'done, with its place in the order',
  skipped: 'skipped: leads to no requested tensor',
  captured: 'captured: its gradient is returned',
  error: 'error'
};

const FOCUSABLE = 'button, [href], input, select, [tabindex="0"]';

export function Help({ close }: { close(): void }): JSX.Element {
  const dialog = useRef<HTMLDivElement>(null);
  const commands = useCommands();

  useLayoutEffect(() => {
    const page = dialog.current?.ownerDocument;
    const before = page?.activeElement;
    dialog.current?.querySelector<HTMLElement>('.vg-help-body')?.focus();
    return () => {
      if (before instanceof HTMLElement || before instanceof SVGElement) {
        before.focus({ preventScroll: true });
      }
    };
  }, []);

  const keydown = (event: KeyboardEvent): void => {
    if (event.key === 'Escape' || keysOf('help').includes(event.key)) {
      close();
    } else if (event.key === 'Tab') {
      turn(dialog.current, event);
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  };

  return (
    <div
      class="vg-overlay"
      onPointerDown={event => event.target === event.currentTarget && close()}
    >
      <div
        ref={dialog}
        class="vg-help"
        role="dialog"
        aria-modal="true"
        aria-label="Keys and signs"
        onKeyDown={keydown}
      >
        <div class="vg-help-head">
          <h3>Keys and signs</h3>
          <button type="button" class="vg-button" aria-label="Close help" onClick={close}>
            <Icon name="close" />
          </button>
        </div>
        <div class="vg-help-body" tabIndex={0} role="group" aria-label="Help">
          <div class="vg-help-columns">
            {(Object.keys(SECTIONS) as Section[]).map(section => (
              <Listed
                key={section}
                title={SECTIONS[section]}
                listed={COMMANDS.filter(
                  ({ name, section: of }) => of === section && commands.has(name)
                )}
              />
            ))}
            <section>
              <h4>Navigation</h4>
              <dl class="vg-keys">
                {GESTURES.map(({ keys, help }) => (
                  <div key={keys}>
                    <dt>{keys}</dt>
                    <dd>
                      <Sentence text={help} />
                    </dd>
                  </div>
                ))}
              </dl>
            </section>
            <Signs />
            <Code />
          </div>
        </div>
      </div>
    </div>
  );
}

function Listed(props: { title: string; listed: readonly Command[] }): JSX.Element | null {
  const { title, listed } = props;
  return listed.length === 0 ? null : (
    <section>
      <h4>{title}</h4>
      <dl class="vg-keys">
        {listed.map(({ name, label, help }) => (
          <div key={name} data-command={name}>
            <dt>
              {keysOf(name).map(key => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>
              <b>{label}</b> <Sentence text={help} />
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function Signs(): JSX.Element {
  return (
    <section>
      <h4>Signs</h4>
      <ul class="vg-signs">
        {NODE_STATES.map(state => (
          <li key={state} class="vg-sign" data-sign={state}>
            <StateIcon state={state} share={state === 'waiting' ? 0.4 : 0} /> {STATES[state]}
          </li>
        ))}
        <li class="vg-sign">
          <svg class="vg-sign-line" viewBox="0 0 34 8" aria-hidden="true">
            <path d="M1 4h32" stroke="var(--vg-flow)" stroke-width="3" />
          </svg>
          a gradient flowed; the thicker, the larger its norm
        </li>
        <li class="vg-sign">
          <svg class="vg-sign-line" viewBox="0 0 34 8" aria-hidden="true">
            <path d="M1 4h32" stroke="var(--vg-muted)" stroke-width="1.5" stroke-dasharray="4 3" />
          </svg>
          an undefined gradient
        </li>
      </ul>
    </section>
  );
}

/** What can also be written: all that has a name in Python, and what only code does. */
function Code(): JSX.Element {
  const lines = [...COMMANDS.filter(({ code }) => code !== ''), ...IN_CODE];
  return (
    <section class="vg-help-code">
      <h4>The same in code</h4>
      <table>
        <thead>
          <tr>
            <th scope="col">Command</th>
            <th scope="col">Python</th>
            <th scope="col">
              Magic, after <code>%load_ext vizgrad</code>
            </th>
          </tr>
        </thead>
        <tbody>
          {lines.map(({ label, help, code, magic }) => (
            <tr key={label} title={unquoted(help)}>
              <th scope="row">{label}</th>
              <td>
                <code>{code}</code>
              </td>
              <td>
                <code>{magic}</code>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** Tab stays inside. */
function turn(dialog: HTMLElement | null, event: KeyboardEvent): void {
  const stops = [...(dialog?.querySelectorAll<HTMLElement>(FOCUSABLE) ?? [])];
  const here = stops.findIndex(stop => stop === stop.ownerDocument.activeElement);
  const next = here + (event.shiftKey ? -1 : 1);
  stops[(next + stops.length) % stops.length]?.focus();
}
