/** A part of a conversation written out as one text, by roles, to be summed up: no metadata of providers, long results clipped. */
import type { AssistantPart, ContentPart, ToolOutput } from '../message.ts'
import { textHead } from '../text/clip.ts'
import { escaped } from './cut.ts'
import type { Results } from './entries.ts'
import { missingResult } from './result.ts'
import type { Entry } from './write.ts'

/** What is not learned from: a turn that did not close positively, or that was corrected (C7). */
export const mayBeKept = (entry: Entry): boolean =>
  entry.type === 'said' || (entry.closedWell !== false && entry.corrected !== true)

const gap = '[A turn that was stopped is left out.]'

/** The text of these entries; of a result at most `chars` characters. */
export const serialised = (
  entries: readonly Entry[],
  { results, chars }: { readonly results: Results; readonly chars: number },
): string =>
  entries
    .map((entry) => {
      if (!mayBeKept(entry)) return gap
      if (entry.type === 'said') return `user: ${partsOf(entry.parts, Infinity)}`
      return answerOf(entry.parts, { results, chars })
    })
    .join('\n\n')

function answerOf(
  parts: readonly AssistantPart[],
  { results, chars }: { readonly results: Results; readonly chars: number },
): string {
  const lines = parts.flatMap((part): string[] => {
    if (part.type === 'text' || part.type === 'blob') return [`assistant: ${shown(part)}`]
    if (part.type !== 'tool_call') return []
    const args = clip(JSON.stringify(part.args), chars)
    return [
      `assistant calls ${escaped(part.name)}: ${escaped(args)}`,
      resultLine(results.get(part.id) ?? missingResult, chars),
    ]
  })
  return lines.join('\n')
}

const resultLine = ({ content, isError }: ToolOutput, chars: number): string =>
  `${isError ? 'error' : 'result'}: ${partsOf(content, chars)}`

const partsOf = (parts: readonly ContentPart[], chars: number): string =>
  parts
    .map((part) => escaped(clip(part.type === 'text' ? part.text : part.preview, chars)))
    .join('\n')

const shown = (part: ContentPart): string =>
  escaped(part.type === 'text' ? part.text : part.preview)

const clip = (words: string, chars: number): string =>
  words.length <= chars ? words : `${textHead(words, chars)}…`
