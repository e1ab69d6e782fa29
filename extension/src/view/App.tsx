/** The whole view: toolbar, graph and panels, arranged for the room there is. */
import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

import type { CommandName } from '../protocol';
import { isDrawn } from '../store';
import type { DebuggerState } from '../store';
import { followCode } from './code';
import { Banner } from './frame/Banner';
import { CommandButton } from './frame/Button';
import { Help } from './frame/Help';
import { Panels } from './frame/Panels';
import { RankBar } from './frame/RankBar';
import { Region } from './frame/Region';
import { SessionPicker } from './frame/SessionPicker';
import { Tip } from './frame/Tip';
import { Toolbar } from './frame/Toolbar';
import { useCommands, useDoers, useObservable, useSize, useStore } from './hooks';
import { answerHost, hostOf, onHostChanged } from './host';
import { Live } from './Live';
import { copy } from './panels/array/copy';
import { heapNote, NotebookMemory } from './panels/NotebookMemory';
import { escape, goToGraph, goToPart } from './parts';
import { Sentence } from './Sentence';
import { keepFocus } from './keepFocus';
import { commandKey, keepKeysFromHost } from './shortcuts';
import { PRESENTED, widthOf } from './width';

/** What a clicker sends, where a view is set out to teach. */
const CLICKER: Readonly<Record<string, CommandName>> = {
  PageDown: 'step',
  PageUp: 'step-back'
};

interface AppProps {
  /** Show which sessions there are (the side panel; a widget belongs to one). */
  readonly sessions: boolean;
  readonly fill: boolean;
}

export function App({ sessions, fill }: AppProps): JSX.Element {
  const store = useStore();
  const commands = useCommands();
  const state = useObservable(store.state);
  const [, draw] = useState({});
  const root = useRef<HTMLDivElement>(null);
  const size = useSize(root);
  const said = useRef<HTMLDivElement>(null);
  const saidHeight = useSize(said)?.height ?? 0;
  const { session, view } = state;
  const larger = view.presentation ? PRESENTED : 1;
  const room = (size?.width ?? 1000) / larger;
  const { arrangement } = hostOf(document).preferences;
  const width = widthOf(room, arrangement, view.presentation, size?.height);

  useEffect(() => (root.current ? keepKeysFromHost(root.current) : undefined), []);
  useEffect(() => (root.current ? keepFocus(root.current) : undefined), []);
  useEffect(() => (root.current ? answerHost(root.current, commands) : undefined), [commands]);
  useEffect(() => (root.current ? followCode(root.current, store) : undefined), [store]);
  useEffect(() => onHostChanged(document, () => draw({})), []);
  useEffect(() => enlargeCode(root.current, view.presentation), [view.presentation]);
  const taught = useRef(view.presentation);
  useEffect(() => {
    if (taught.current !== view.presentation) {
      taught.current = view.presentation;
      root.current?.scrollIntoView({ block: 'nearest' });
    }
  }, [view.presentation]);
  useEffect(() => () => enlargeCode(root.current, false), []);
  const toPart = (by: 1 | -1) => ({ act: () => root.current && goToPart(root.current, by) });
  useDoers({ 'next-part': toPart(1), 'previous-part': toPart(-1) });

  const closeHelp = (): void => store.view({ help: false });
  return (
    <div
      ref={root}
      class={`vg-root vg-${width}${fill ? ' vg-fill' : ''}${view.presentation ? ' vg-present' : ''}`}
      style={{ '--vg-said': `${saidHeight}px` }}
      role="group"
      tabIndex={-1}
      aria-label="vizgrad debugger"
      data-revision={session?.revision ?? ''}
      data-position={session?.run.position ?? ''}
      data-status={session?.closed ? 'closed' : (session?.run.status ?? 'none')}
      data-layout={session ? (isDrawn(session, view) ? 'done' : 'pending') : 'none'}
      data-session={session?.session ?? ''}
      aria-busy={state.moving}
      onKeyDown={event => {
        const turns = view.presentation ? CLICKER[event.key] : undefined;
        const plain = !event.ctrlKey && !event.metaKey && !event.altKey;
        if (event.key === 'Escape' && plain && event.target instanceof Element) {
          escape(event.currentTarget, event.target, store);
        } else if (turns && plain) {
          commands.perform(turns);
        } else if (plain && event.target === event.currentTarget && event.key.startsWith('Arrow')) {
          goToGraph(event.currentTarget);
        } else if (!commandKey(event, commands)) {
          return;
        }
        event.preventDefault();
        event.stopPropagation();
      }}
    >
      {(sessions || state.opened) && <SessionPicker sessions={state.sessions} shown={session} />}
      {session && state.ranks && <RankBar ranks={state.ranks} session={session} />}
      {session && <Toolbar state={state} />}
      <div ref={said} class="vg-said">
        {!(session && width === 'wide') && <Banner state={state} />}
      </div>
      {view.help && <Help close={closeHelp} />}
      {view.heap && <WholeMemory state={state} />}
      {session ? <Panels state={state} session={session} width={width} /> : <Empty state={state} />}
      <Live state={state} />
      <Tip root={root} />
    </div>
  );
}

/** Views to teach in windows of their own: the cells are on this page all the same. */
const inWindows = new Set<Element>();

/** To teach, the cells that the run is marked in are as large as the view: `code.raw.css`. */
function enlargeCode(root: Element | null, teach: boolean): void {
  if (root && root.ownerDocument !== document && teach) {
    inWindows.add(root);
  } else if (root) {
    inWindows.delete(root);
  }
  const { body } = document;
  const here = body.querySelector('.vg-present') !== null;
  body.classList.toggle('vg-teaching', here || inWindows.size > 0);
}

/** Beside no session, or above one. */
function WholeMemory({ state }: { state: DebuggerState }): JSX.Element {
  return (
    <div class={`vg-heap-region${state.session ? '' : ' vg-heap-alone'}`}>
      <Region
        name="Notebook memory"
        note={() => heapNote(state)}
        tools={
          <>
            <CommandButton command="refresh-memory" />
            <CommandButton command="memory" />
          </>
        }
      >
        <NotebookMemory state={state} />
      </Region>
    </div>
  );
}

/** Nothing to show yet: why, and what to do. */
function Empty({ state }: { state: DebuggerState }): JSX.Element {
  const [patient, setPatient] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setPatient(true), 300);
    return () => clearTimeout(timer);
  }, []);
  const { port, patience, view } = state;
  if (port.state === 'closed') {
    return <NothingToShow text={port.reason ?? 'The connection to the kernel is closed.'} alert />;
  }
  if (port.state === 'open' && patience === 'answered' && !state.notice) {
    return (
      <>
        <NothingToShow text="No session in this kernel yet. Run `vizgrad.debug(loss)`, or `%vizgrad debug loss`, to step through its backward." />
        {!view.heap && (
          <div class="vg-heap-offer">
            <CommandButton command="memory" labelled />
          </div>
        )}
      </>
    );
  }
  // Most connections take less than a blink; a word that flashes up would only disturb.
  return <p class="vg-empty vg-empty-view">{patient ? 'Connecting to the kernel…' : ''}</p>;
}

/** What is so, and below it what to do: code to run can be copied. */
function NothingToShow({ text, alert }: { text: string; alert?: boolean }): JSX.Element {
  const [what = '', ...rest] = text.split(/(?<=\.) /);
  const steps = rest.join(' ');
  const codes = [...steps.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);
  const [copied, setCopied] = useState('');
  return (
    <div class="vg-empty vg-empty-view" role={alert ? 'alert' : undefined}>
      <svg width="36" height="36" viewBox="0 0 24 24" aria-hidden="true">
        <circle cx="12" cy="4.5" r="3" />
        <circle cx="5.5" cy="19" r="3" />
        <circle cx="18.5" cy="19" r="3" />
        <path d="M10.6 7 6.2 15.4l1.8.9L12 8.6l4 7.7 1.8-.9L13.4 7z" />
      </svg>
      <p class="vg-empty-what">
        <Sentence text={what} />
      </p>
      {steps && (
        <p>
          <Sentence text={steps} />
        </p>
      )}
      {codes.map(code => (
        <button
          key={code}
          type="button"
          class="vg-button vg-labelled"
          aria-label={`Copy ${code}`}
          onClick={() => void copy(code).then(done => setCopied(done ? code : ''))}
        >
          {copied === code ? 'Copied' : codes.length > 1 ? `Copy ${code}` : 'Copy'}
        </button>
      ))}
    </div>
  );
}
