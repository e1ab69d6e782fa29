/** The panels beside the picture, each drawn a frame behind it. */
import { later } from '../later';
import { Branches as BranchesNow } from './Branches';
import { Breakpoints as BreakpointsNow } from './Breakpoints';
import { Engine as EngineNow } from './Engine';
import { Events as EventsNow } from './Events';
import { Inside as InsideNow } from './Inside';
import { Inspector as InspectorNow } from './Inspector';
import { LaneView as LaneNow } from './LaneView';
import { Memory as MemoryNow } from './Memory';
import { SavedTensors as SavedTensorsNow } from './SavedTensors';
import { Versions as VersionsNow } from './Versions';
import { WatchList as WatchListNow } from './WatchList';
import { Explained as ExplainedNow } from './Explained';

export const Branches = later(BranchesNow);
export const Breakpoints = later(BreakpointsNow);
export const Engine = later(EngineNow);
export const Events = later(EventsNow);
export const Inside = later(InsideNow);
export const Inspector = later(InspectorNow);
export const LaneView = later(LaneNow);
export const Memory = later(MemoryNow);
export const SavedTensors = later(SavedTensorsNow);
export const Versions = later(VersionsNow);
export const Explained = later(ExplainedNow);
export const WatchList = later(WatchListNow);
