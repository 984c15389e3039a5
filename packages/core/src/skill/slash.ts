/**
 * `/name` at the beginning of what a user says: the skill that is loaded with it.
 *
 * S1 Read once, when the run is created, of what the user says. What a model says, and the prompt by which a run starts another, loads nothing.
 */
import type { UserMessage } from '../message.ts'
import type { PinnedSkill } from './pinned.ts'

const command = /^\/([a-z0-9-]+)(?=\s|$)/

/** An image may stand before them. */
function firstWords(parts: UserMessage['parts']): string {
  const first = parts.find(({ type }) => type !== 'image')
  if (first?.type === 'text') return first.text
  return first?.type === 'blob' ? first.preview : ''
}

/** The skills that messages begin with, each once, in the order of the messages. A name that is no skill's is text like any other. */
export function skillsNamedIn(
  messages: readonly Pick<UserMessage, 'role' | 'parts'>[],
  skills: readonly PinnedSkill[],
): readonly PinnedSkill[] {
  const named = messages.flatMap(({ role, parts }): readonly PinnedSkill[] => {
    const [, name] = role === 'user' ? (command.exec(firstWords(parts)) ?? []) : []
    return skills.filter((skill) => skill.name === name)
  })
  return [...new Set(named)]
}
