/** What the parts of a walk over a script hand to each other. */
import type { Command, ShellScript } from '../shell/script.ts'
import type { Actions } from './actions.ts'
import type { Owner, Where } from './known-words.ts'

/** What walking takes besides the part at hand. */
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

/** What is known of the words at hand. */
export const whereIn = ({ actions, owner }: ScriptWalk): Where => ({ known: actions.known, owner })
