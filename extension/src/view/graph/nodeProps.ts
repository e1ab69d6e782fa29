/** What the box of a node, and the card within it, are drawn from. */
import type { DrawnBox, Node, NodeRun, RankRow, Saved } from '../../protocol';
import type { OnWay } from '../../store';
import type { Running } from '../format';
import type { Differs } from './differing';
import type { Heat } from './heat';
import type { TextMetrics } from './text';
import type { Detail } from './viewport';

export interface NodeBoxProps {
  readonly box: DrawnBox;
  readonly node: Node;
  readonly run: NodeRun;
  readonly running: Running;
  readonly saved: readonly Saved[];
  /** Where the lines that leave it start, to write their names above; and those that carry NaN or inf. */
  readonly starts: readonly number[];
  readonly oddStarts: readonly number[];
  /** What came, or went, is not finite. */
  readonly odd: boolean;
  /** What it made that is not finite, of finite gradients; null: nothing. */
  readonly made: number | null;
  /** What has come over a line that is not finite. */
  readonly got: number | null;
  readonly detail: Detail;
  readonly metrics: TextMetrics;
  /** Of the smallest type, in pixels of the picture. */
  readonly type: number;
  readonly selected: boolean;
  readonly focusable: boolean;
  readonly breakpoint: boolean;
  /** The user has changed its gradient, or a value of it. */
  readonly edited: boolean;
  readonly match: boolean;
  readonly level: number;
  /** How large its gradient is, where that is what colours say. */
  readonly heat: Heat | null | undefined;
  /** Where branches are compared: how they differ at this node; null: they do not part here. */
  readonly differs: Differs | null | undefined;
  /** How ranks compare here, where several processes run the backward and a gradient has arrived. */
  readonly ranks: RankRow | null;
  /** What it is on the way from what was seen to its cause, where that is marked. */
  readonly onWay: OnWay | null;
}
