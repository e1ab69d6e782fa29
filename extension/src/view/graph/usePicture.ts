/** From the graph and what is folded to a laid-out picture, without ever blocking the page. */
import type { RefObject } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';

import type { Graph } from '../../protocol';
import { LayoutClient } from '../layout/layoutClient';
import type { WorkerFactory } from '../layout/layoutClient';
import type { Layout } from '../layout/types';
import { openGroups } from './folding';
import { scopeTree } from './scopes';
import type { ScopeTree } from './scopes';
import { sizeOf } from './sizes';
import { visibleGraph } from './visible';
import { metricsOf, TextMetrics } from './text';
import type { Visible } from './visible';

/** Boxes with their places. The parts belong together: they are replaced together. */
export interface Picture {
  readonly graph: Graph;
  readonly tree: ScopeTree;
  readonly open: ReadonlySet<number>;
  readonly visible: Visible;
  readonly layout: Layout;
  readonly metrics: TextMetrics;
  /** Why the simple layout was used, if it was. */
  readonly reason: string;
}

export type LayoutStatus = 'pending' | 'done' | 'fallback';

export interface PictureState {
  readonly picture: Picture | null;
  readonly status: LayoutStatus;
}

export function usePicture(
  graph: Graph | null,
  byHand: ReadonlyMap<number, boolean>,
  factory: WorkerFactory,
  root: RefObject<HTMLElement>
): PictureState {
  const client = useRef<LayoutClient | null>(null);
  useEffect(() => {
    client.current = new LayoutClient(factory);
    return () => {
      client.current?.dispose();
      client.current = null;
    };
  }, [factory]);

  const tree = useMemo(() => (graph ? scopeTree(graph) : null), [graph]);
  const wanted = useMemo(() => {
    if (!graph || !tree) {
      return null;
    }
    const open = openGroups(graph, tree, byHand);
    return { graph, tree, open, visible: visibleGraph(graph, tree, open) };
  }, [graph, tree, byHand]);

  const metrics = useRef<TextMetrics | null>(null);
  const [picture, setPicture] = useState<Picture | null>(null);
  useEffect(() => {
    if (!wanted) {
      return;
    }
    metrics.current ??= root.current ? metricsOf(root.current) : new TextMetrics();
    const text = metrics.current;
    const { visible } = wanted;
    const items = visible.items.map(item => ({
      key: item.key,
      parent: item.parent,
      ...sizeOf(item, wanted.graph, wanted.tree, text)
    }));
    const clusters = visible.clusters.map(id => ({
      id,
      parent: wanted.tree.groups[id]?.parent ?? null
    }));
    client.current?.layout({ items, links: visible.links, clusters }, ({ layout, reason }) =>
      setPicture({ ...wanted, layout, metrics: text, reason })
    );
  }, [wanted]);

  const settled = picture !== null && picture.visible === wanted?.visible;
  // The picture of another graph would show this run's states on the wrong boxes.
  const usable = picture !== null && picture.graph === graph ? picture : null;
  const status = !settled ? 'pending' : picture.layout.engine === 'graphviz' ? 'done' : 'fallback';
  return { picture: usable, status };
}
