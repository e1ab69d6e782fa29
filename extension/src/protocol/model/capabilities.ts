// Made by `make types` from vizgrad/inspection/model/capabilities.py: do not edit.
/** What a custom Function can do, and where it cannot: its capability card. */
import { array, boolean, nullable, oneOf, optional, record, string } from '../check';
import type { Reader } from '../check';
import { readPlace } from './place';
import type { Place } from './place';
import { readExplanation } from './explanation';
import type { Explanation } from './explanation';

/** In the order in which a card lists them. */
export const CAPABILITIES = [
  'forward',
  'backward',
  'double backward',
  'jvp',
  'vmap',
  'version safety',
  'freeing'
] as const;

export const CAPABILITY_STATES = ['proven', 'failed', 'untested'] as const;
export type CapabilityState = (typeof CAPABILITY_STATES)[number];
export const readCapabilityState = oneOf(CAPABILITY_STATES);

/**
 * One line of a card. `failures` are the failing cases; of one that is only missing or refused, and
 * says so when it is used, `check` says nothing (`aloud`).
 */
export interface Capability {
  readonly name: string;
  readonly state: CapabilityState;
  readonly detail: string;
  readonly failures: readonly Explanation[];
  readonly aloud: boolean;
}

/** What was found out about a Function on one example. */
export interface CapabilityCard {
  readonly function: string;
  /** The arguments of the example, as text. */
  readonly example: string;
  readonly capabilities: readonly Capability[];
  /** The line of its class. */
  readonly place: Place | null;
}

export const readCapability: Reader<Capability> = record<Capability>({
  name: string,
  state: readCapabilityState,
  detail: optional(string, ''),
  failures: optional(array(readExplanation), []),
  aloud: optional(boolean, false)
});

export const readCapabilityCard: Reader<CapabilityCard> = record<CapabilityCard>({
  function: string,
  example: string,
  capabilities: array(readCapability),
  place: optional(nullable(readPlace), null)
});
