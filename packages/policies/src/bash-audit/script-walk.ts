/** The state that the parts of a walk over a script hand to each other. */
import type { Command, ShellScript } from '../shell/script.ts'
import type { Actions } from './actions.ts'
import type { Owner, Where } from './known-words.ts'

/** The state of a walk besides the part at hand, and the functions that read what is within that part. */
export interface ScriptWalk {
  readonly actions: Actions
  readonly nesting: number
  /** By what `$1` is known. */
  readonly owner: Owner
  /** Aliases whose text it is. */
  readonly aliases?: ReadonlySet<string>
  readonly readText: (
    part: { readonly text: string; readonly by: Command | null },
    walk: ScriptWalk,
  ) => void
  readonly readScript: (script: ShellScript, walk: ScriptWalk) => void
}

/** The names that are known where the words at hand stand, and the owner of their arguments. */
export const whereIn = ({ actions, owner }: ScriptWalk): Where => ({ known: actions.known, owner })
