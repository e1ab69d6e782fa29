/** What a view has not seen of its session, and what to ask for. */
import type { Update } from '../protocol';

export class RevisionTracker {
  /** The largest revision that was heard of; when it is more than is shown, something is missing. */
  heard = 0;
  /** The session was closed meanwhile: its last update was heard of. */
  closed = false;
  /** What comes next cannot be folded into what is there: one has to look anew. */
  private lost = false;
  /** What was heard of when the kernel refused to tell what is missing. */
  private refused = 0;

  /** Another session is shown, or the same from nothing. */
  restart(revision: number, isNew: boolean): void {
    this.heard = isNew ? revision : Math.max(this.heard, revision);
    this.lost = this.closed = false;
    this.refused = 0;
  }

  /** The view looked anew. */
  caughtUp(revision: number): void {
    this.heard = Math.max(this.heard, revision);
    this.lost = false;
  }

  /** An update came; can it be the one that is folded next? */
  hears(update: Update, shown: number): boolean {
    this.heard = Math.max(this.heard, update.revision);
    this.closed ||= update.status === 'closed';
    return !this.lost && update.revision === shown + 1;
  }

  /** The kernel says where the session is. */
  hearsOf(revision: number): void {
    this.heard = Math.max(this.heard, revision);
    this.refused = 0;
  }

  /** It could not be folded, or is not kept any more. */
  lose(): void {
    this.lost = true;
  }

  /** The kernel does not tell what is missing. */
  refuse(): void {
    this.refused = this.heard;
  }

  /** How to ask for what is missing when `shown` is the revision shown; null: nothing is. */
  question(shown: number): 'look' | 'since' | null {
    if (this.heard === this.refused || (!this.lost && this.heard <= shown)) {
      return null;
    }
    return this.lost ? 'look' : 'since';
  }
}
