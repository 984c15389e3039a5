/** The event of a skill that is loaded. */
import type { Verdict } from '../../event/decision.ts'
import type { PinnedSkill } from '../../skill/pinned.ts'

/** By whom, and by which call. */
export type LoadedBy = { readonly by: 'user' } | { readonly by: 'model'; readonly callId: string }

/** `skill.activated`: `digest` is that of the files that were read. */
export const skillActivated = (
  { name, tools }: PinnedSkill,
  digest: string,
  loaded: LoadedBy,
): Verdict => ({
  type: 'skill.activated',
  payload: { name, digest, tools: tools && [...tools], ...loaded },
  tool: null,
  verdict: loaded.by,
})
