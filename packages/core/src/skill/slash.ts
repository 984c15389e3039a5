/**
 * `/name` at the beginning of what a user says: the skill that is loaded with it.
 *
 * S1 Read once, when the run is created, of what the user says. What a model says, and the prompt by which a run starts another, loads nothing.
 */
import type { UserMessage } from '../message.ts'
import type { PinnedSkill } from './pinned.ts'

const command = /^\/([a-z0-9-]+)(?=\s|$)/

/** The skills that messages begin with, each once, in the order of the messages. A name that is no skill's is text like any other. */
export function skillsNamedIn(
  messages: readonly Pick<UserMessage, 'role' | 'parts'>[],
  skills: readonly PinnedSkill[],
): readonly PinnedSkill[] {
  const named = messages.flatMap(({ role, parts: [first] }): readonly PinnedSkill[] => {
    const text = first?.type === 'text' ? first.text : (first?.preview ?? '')
    const [, name] = role === 'user' ? (command.exec(text) ?? []) : []
    return skills.filter((skill) => skill.name === name)
  })
  return [...new Set(named)]
}
