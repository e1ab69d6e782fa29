/** A view and a person's code: each shows what is selected in the other, over events that the host carries. */
import type { DebuggerState, DebuggerStore } from '../store';
import { NODE_SELECTED, SELECT_NODE } from './host';
import type { NodeAsked, NodeSelected } from './host';

/** What the cursor selected: a glance, that ends when the run goes on. */
interface Glance {
  readonly node: number;
  /** Did the selection go along with the run before? */
  readonly followed: boolean;
  readonly session: string;
  readonly position: number;
}

/** Says what is selected, and selects what the host asks for, until what this returns is called. */
export function followCode(root: HTMLElement, store: DebuggerStore): () => void {
  let told = '';
  let glance: Glance | null = null;

  const tell = (): void => {
    const { session, view } = store.state.value;
    if (!session) {
      return;
    }
    const node = view.follow ? null : view.selection;
    const detail: NodeSelected = { session: session.session, node };
    const text = JSON.stringify(detail);
    if (text !== told && (told !== '' || node !== null)) {
      root.dispatchEvent(new CustomEvent(NODE_SELECTED, { detail, bubbles: true, composed: true }));
    }
    told = text;
  };
  const endGlance = (): void => {
    const ended = glance;
    const { state } = store;
    if (ended && !isSame(ended, state.value)) {
      glance = null;
      if (ended.followed && state.value.view.selection === ended.node) {
        store.home();
      }
    }
  };
  const asked = (event: Event): void => {
    const { node, nodes } = (event as CustomEvent<NodeAsked>).detail;
    const { session, view } = store.state.value;
    if (!session || session.closed) {
      return;
    }
    const followed = glance?.followed ?? view.follow;
    if (node !== null) {
      glance = {
        node,
        followed,
        session: session.session,
        position: session.run.position
      };
      store.select(node);
      store.view({ together: new Set(nodes.length > 1 ? nodes : []) });
    } else if (view.selection === glance?.node) {
      glance = null;
      if (followed) {
        store.home();
      }
    }
  };

  const end = store.state.subscribe(() => {
    endGlance();
    const { together, selection, follow } = store.state.value.view;
    if (together.size > 0 && (follow || !together.has(selection ?? -1))) {
      store.view({ together: new Set() });
    }
    tell();
  });
  root.addEventListener(SELECT_NODE, asked);
  return () => {
    end();
    root.removeEventListener(SELECT_NODE, asked);
  };
}

/** Does the run stand where it stood, and is the same selected? */
function isSame(glance: Glance, { session, view }: DebuggerState): boolean {
  return (
    session?.session === glance.session &&
    session.run.position === glance.position &&
    view.selection === glance.node
  );
}
