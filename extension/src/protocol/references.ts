/** Whether the numbers that a message refers to are those of things there are. */
import { Malformed } from './check';
import type { Drawing, Standing, Tally } from './drawing';
import { NODE_STATES } from './model';
import type { Group, Node, StepRecord, Storage, Update } from './model';

/** Throws `Malformed`, unless a view may follow its references without checks. */
export function checkDrawing(drawing: Drawing, size: number): void {
  const { boxes, lines, frames, groups, nodes, collectives } = drawing;
  const drawn = new Set(nodes.map(({ id }) => id));
  const ids = new Set(groups.map(({ id }) => id));
  nodes.forEach(node => checkNode(node, size, 'drawing.nodes'));
  groups.forEach(group => checkGroup(group, ids, size));
  frames.forEach(({ group, parent, cell }, place) => {
    member(group, ids, 'drawing.frames.group');
    // A frame comes behind the one around it: nothing goes round in a circle.
    within(parent, place, 'drawing.frames.parent');
    within(cell, Infinity, 'drawing.frames.cell');
  });
  for (const box of boxes) {
    within(box.frame, frames.length, 'drawing.boxes.frame');
    if (box.kind === 'group' || box.kind === 'cells') {
      member(box.group, ids, 'drawing.boxes.group');
      stretch(box, size, 'drawing.boxes');
    } else if (box.kind === 'result') {
      within(box.node, size, 'drawing.boxes.node');
    } else if (box.kind === 'collective') {
      within(box.collective ?? -1, collectives.length, 'drawing.boxes.collective');
    } else {
      member(box.node, drawn, 'drawing.boxes.node');
      within(box.user, size, 'drawing.boxes.user');
    }
  }
  for (const { node, nodes: leaves } of collectives) {
    [node, ...leaves].forEach(each => within(each, size, 'drawing.collectives'));
  }
  for (const { source, target, points, node } of lines) {
    within(source, boxes.length, 'drawing.lines.source');
    within(target, boxes.length, 'drawing.lines.target');
    within(node, size, 'drawing.lines.node');
    if (points.length % 6 !== 2) {
      throw new Malformed('a start and three points a piece', points).within(
        'drawing.lines.points'
      );
    }
  }
}

function checkNode(node: Node, size: number, where: string): void {
  within(node.id, size, `${where}.id`);
  for (const edge of node.edges) {
    within(edge.node, size, `${where}.edges`);
  }
}

function checkGroup(group: Group, ids: ReadonlySet<number>, size: number): void {
  const { id, parent } = group;
  if (parent !== null) {
    member(parent, ids, 'drawing.groups.parent');
    within(parent, id, 'drawing.groups.parent');
  }
  stretch(group, size, 'drawing.groups');
}

/** Of a drawing of a graph with `size` nodes. */
export function checkStanding(standing: Standing, drawing: Drawing, size: number): void {
  const { nodes, boxes, frames, counts, flows } = standing;
  long(nodes, drawing.nodes.length, 'standing.nodes');
  long(boxes, drawing.boxes.length, 'standing.boxes');
  long(frames, drawing.frames.length, 'standing.frames');
  long(counts, NODE_STATES.length, 'standing.counts');
  boxes.forEach((tally, place) => {
    const kind = drawing.boxes[place]?.kind;
    if ((tally !== null) !== (kind === 'group' || kind === 'cells')) {
      throw new Malformed(`what a box of kind ${kind} has`, tally).within('standing.boxes');
    }
  });
  for (const tally of [...boxes, ...frames]) {
    if (tally) {
      checkTally(tally, size);
    }
  }
  for (const { line, node } of flows) {
    within(line, drawing.lines.length, 'standing.flows.line');
    within(node, size, 'standing.flows.node');
  }
  const { ready, buffers, reached, saved, names } = standing;
  for (const { node } of [...ready, ...buffers, ...reached, ...saved, ...names]) {
    within(node, size, 'standing');
  }
  within(standing.current, size, 'standing.current');
  standing.breakpoints.forEach(node => within(node, size, 'standing.breakpoints'));
  checkStorages(standing.storages, size);
}

function checkTally({ norms, firsts }: Tally, size: number): void {
  long(firsts, norms.length, 'tally.firsts');
  firsts.forEach(node => within(node, size, 'tally.firsts'));
}

export function checkStorages(storages: readonly Storage[], size: number): void {
  for (const { saves } of storages) {
    checkNodes(saves, size, 'storages.saves');
  }
}

export function checkUpdate(update: Update, size: number): void {
  update.records.forEach(record => checkRecord(record, size));
  for (const change of update.changes) {
    checkNodes(change.saved, size, 'update.changes.saved');
    checkStorages(change.opened ? [change.opened] : [], size);
  }
  update.breakpoints.forEach(node => within(node, size, 'update.breakpoints'));
  checkNodes(update.names, size, 'update.names');
}

function checkRecord({ visit, ready, arrived, readied, current }: StepRecord, size: number): void {
  within(visit.node, size, 'update.records.visit');
  checkNodes([ready, ...arrived, ...readied], size, 'update.records');
  for (const { edge } of visit.routed) {
    within(edge.node, size, 'update.records.visit.routed');
  }
  within(current, size, 'update.records.current');
}

/** Names, visits, holders: whatever speaks of a node. */
export function checkNodes(
  list: readonly { readonly node: number }[],
  size: number,
  where: string
): void {
  list.forEach(({ node }) => within(node, size, where));
}

// --- what a number may be ---

/** null refers to nothing. */
function within(number: number | null, limit: number, where: string): void {
  if (number !== null && (number < 0 || number >= limit)) {
    throw new Malformed(`a number below ${limit}`, number).within(where);
  }
}

function member(id: number | null, ids: ReadonlySet<number>, where: string): void {
  if (id === null || !ids.has(id)) {
    throw new Malformed('one of those that are drawn', id).within(where);
  }
}

function stretch(of: { first: number; last: number }, size: number, where: string): void {
  within(of.first, size, `${where}.first`);
  if (of.last <= of.first || of.last > size) {
    throw new Malformed(`a number from ${of.first + 1} to ${size}`, of.last).within(
      `${where}.last`
    );
  }
}

function long(list: readonly unknown[], length: number, where: string): void {
  if (list.length !== length) {
    throw new Malformed(`${length} entries`, list).within(where);
  }
}
