/** One saved value: what it is, its state, and for a stale one who wrote over it. */
import type { ComponentChildren, JSX } from 'preact';

import type { Saved, Write } from '../../protocol';
import * as format from '../format';
import { SavedIcon } from '../Icons';
import { GoThrough } from './array/GoThrough';
import { which } from './array/which';
import { PlaceLine } from './Recorded';
import { Tangents } from './Tangents';

interface SavedCardProps {
  readonly saved: Saved;
  /** The node that saved it, where that is not already plain. */
  readonly owner?: ComponentChildren;
  /** It is the selected node's: its values can be gone through. */
  readonly own?: boolean;
}

export function SavedCard({ saved, owner, own = false }: SavedCardProps): JSX.Element {
  const moved = saved.version_now !== saved.version_saved;
  const what = saved.value || (saved.dtype ? format.tensor(saved) : '');
  return (
    <li class="vg-saved" data-saved-state={saved.state}>
      <div class="vg-saved-line">
        <span class="vg-saved-chip" data-saved-state={saved.state}>
          <SavedIcon state={saved.state} />
          {saved.name}
        </span>
        {owner}
        <span class="vg-saved-state">{format.SAVED_WORDS[saved.state]}</span>
      </div>
      <div class="vg-saved-detail">
        {what && <span class="vg-mono">{what}</span>}
        {saved.bytes > 0 && <span>{format.bytes(saved.bytes)}</span>}
        {saved.storage !== null && (
          <span
            class={moved ? 'vg-versions vg-moved' : 'vg-versions'}
            title="Version when saved, and now"
          >
            {`v${format.counter(saved.version_saved)}`}
            {moved && ` → v${saved.version_now}`}
          </span>
        )}
      </div>
      <Tangents tangents={saved.tangents} of={saved} direction="up" />
      {saved.culprit && saved.state === 'stale' && <Culprit write={saved.culprit} />}
      {own && (saved.state === 'alive' || saved.state === 'stale') && (
        <GoThrough of={which('saved', 0, saved.name)} />
      )}
    </li>
  );
}

export function Culprit({ write }: { write: Write }): JSX.Element {
  return (
    <div class="vg-culprit">
      <div>
        <b class="vg-mono">{write.op}</b> wrote version {write.version}
        {write.alias && (
          <>
            {' '}
            through <span class="vg-mono">{write.alias}</span>
          </>
        )}
      </div>
      {write.place && <PlaceLine place={write.place} />}
    </div>
  );
}
