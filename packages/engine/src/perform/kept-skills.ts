/**
 * The skills whose instructions stand behind a summary, since what it sums up is where they stood: a model that was told how to work would go on
 * without.
 *
 * K1 The newest first, as many as limits allow, and no more than half of what gives way: skills are dropped before a summary is.
 * K2 Those that stand in words which are kept are not told twice.
 */
import {
  bytesPerToken,
  type ConversationPart,
  type FactPayload,
  keptText,
  limits,
  type Moment,
  type SkillBefore,
  skillsBefore,
  tokensOf,
} from '@signalbox/core'
import type { StoredEvent, ThreadRef } from '../ports.ts'
import { type Bundles, loadedOf } from './bundles.ts'
import type { Content } from './content.ts'
import { jsonBytes } from './measure.ts'

export type KeptSkills = NonNullable<FactPayload<'context.compacted'>['skills']>

interface Deps {
  readonly bundles: Pick<Bundles, 'read'>
  readonly content: Pick<Content, 'spill'>
}

/** Where a conversation is cut, and what gives way. */
interface Cut {
  readonly events: readonly StoredEvent[]
  readonly through: Moment
  readonly part: Pick<ConversationPart, 'bytes' | 'words' | 'earlierWords'>
}

/** In the order in which they were loaded. */
export async function keptSkills(
  { bundles, content }: Deps,
  thread: ThreadRef,
  { events, through, part }: Cut,
): Promise<KeptSkills> {
  const { unknown } = bytesPerToken
  let left = Math.min(limits.keptSkillsTokensMax, tokensOf(Math.floor(part.bytes / 2), unknown))
  const kept: KeptSkills = []
  for (const { name, digest, body } of skillsBefore(events, through).toReversed()) {
    if (kept.length === limits.keptSkillsMax) break
    const bundle = isShown(part, body) ? null : await bundles.read({ digest })
    if (!bundle) continue
    const text = keptText(loadedOf(name, bundle), left)
    const tokens = tokensOf(jsonBytes(text), unknown)
    if (tokens > left) continue
    left -= tokens
    kept.push({ name, digest, body: await content.spill(thread, [{ type: 'text', text }]) })
  }
  return kept.toReversed()
}

/** The bytes that they add to a request. */
export const bytesOfKept = (kept: KeptSkills): number =>
  kept.reduce((bytes, { body }) => bytes + jsonBytes(body), 0)

/** Does a message that is kept have the instructions in it? */
function isShown({ words, earlierWords }: Cut['part'], body: SkillBefore['body']): boolean {
  const [first] = body ?? []
  if (first === undefined || !words) return false
  const shown = [...earlierWords, words].flatMap(({ parts }) => parts)
  return shown.some((each) => JSON.stringify(each) === JSON.stringify(first))
}
