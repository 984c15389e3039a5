/**
 * Audits a script of `bash`: what is to be refused, and what is to be flagged.
 *
 * B1 Judged is the script as it is read, never its text: what stands in quotes or in a here-document is no command.
 * B2 A net, not a fence. What the reader cannot read is flagged; a program that is allowed can do all that its sandbox lets it.
 */
import { limits } from '@signalbox/core'
import { flagsIn } from './flags.ts'
import { traceOrigins } from './origins.ts'
import { refusalsIn } from './refusals.ts'
import { type BashFinding, type BashRule, bashRules } from './rules.ts'
import { actionsOf } from './walk-script.ts'

/** Every finding, each rule once; those that refuse stand first. */
export function auditScript(text: string): readonly BashFinding[] {
  const malformed = malformedAs(text)
  if (malformed !== null) return [{ rule: malformed, what: '' }]
  const actions = actionsOf(text)
  const origins = traceOrigins(actions)
  const found = [...refusalsIn(actions, origins), ...flagsIn(actions, origins)]
  const first = new Map<BashRule, BashFinding>()
  for (const { rule, what } of found) if (!first.has(rule)) first.set(rule, { rule, what })
  const all = [...first.values()]
  return [...all.filter(isRefusal), ...all.filter((each) => !isRefusal(each))]
}

const isRefusal = ({ rule }: BashFinding): boolean => bashRules[rule].verdict === 'refuse'

function malformedAs(text: string): BashRule | null {
  if (text.trim() === '') return 'empty'
  if (text.length > limits.commandCharsMax) return 'too_long'
  // Tabs and line ends are blanks to a shell; whatever else is no visible character is one thing to it and another to a reader.
  return /[^\P{Cc}\t\n]|[^\P{Cf}\u200C\u200D]|\p{Cs}/u.test(text) ? 'control_characters' : null
}
