/** Why a node is as it is: the way from what was seen to its cause, as the picture marks it. */
import type { Why, WhyLink } from '../protocol';
import type { DebuggerState } from './state';

/** What a node is on the way. Of one node alone the cause is elsewhere: a line that wrote, say. */
export type OnWay = 'seen' | 'way' | 'cause';

type WithNode = WhyLink & { readonly node: number };

export function hasNode(link: WhyLink): link is WithNode {
  return link.node !== null;
}

/** The nodes on the way, and what each is; empty where there is nothing to explain. */
export function wayOf({ why }: Pick<DebuggerState, 'why'>): ReadonlyMap<number, OnWay> {
  const way = new Map<number, OnWay>();
  if (why === null || why.told.kind === 'healthy') {
    return way;
  }
  const nodes = why.told.chain.filter(hasNode);
  nodes.forEach(({ node }) => way.set(node, 'way'));
  const [first] = nodes;
  if (first) {
    way.set(first.node, 'seen');
  }
  const cause = causeOf(why.told);
  if (cause !== null && nodes.length > 1) {
    way.set(cause, 'cause');
  }
  return way;
}

/** The node that the explanation is about. */
export function causeOf({ chain, node, kind }: Why): number | null {
  if (kind === 'healthy') {
    return null;
  }
  const nodes = chain.filter(hasNode);
  return nodes[nodes.length - 1]?.node ?? node;
}

/** Pairs of nodes that follow each other on the way, as "1 2", both ways round. */
export function stepsOf({ why }: Pick<DebuggerState, 'why'>): ReadonlySet<string> {
  const steps = new Set<string>();
  const chain = why === null || why.told.kind === 'healthy' ? [] : why.told.chain;
  chain.forEach(({ node }, i) => {
    const next = chain[i + 1]?.node ?? null;
    if (node !== null && next !== null) {
      steps.add(`${node} ${next}`).add(`${next} ${node}`);
    }
  });
  return steps;
}

/** For those who hear the view. */
export function spokenWhy({ kind, story }: Why): string {
  return `${kind === 'healthy' ? '' : 'Why: '}${story.replace(/`/g, '')}`;
}
