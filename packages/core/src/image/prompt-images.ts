/** Images as they stand in a prompt, in order. */
import type { ContentPart, ImagePart } from '../message.ts'
import type { Prompt } from '../prompt.ts'

const ofParts = (parts: readonly ContentPart[]): readonly ImagePart[] =>
  parts.filter((part) => part.type === 'image')

/** Of messages of users and of results: no model answers with one. */
export const promptImages = (prompt: Prompt): readonly ImagePart[] =>
  prompt.flatMap((message) => {
    if (message.role === 'tool')
      return message.results.flatMap(({ output }) => ofParts(output.content))
    return message.role === 'user' ? ofParts(message.parts) : []
  })
