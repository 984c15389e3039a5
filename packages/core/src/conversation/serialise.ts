/** A part of a conversation written out as one text, by roles, to be summed up: no metadata of providers, long results clipped. */
import type { AssistantPart, ContentPart, ToolOutput } from '../message.ts'
import { partWords } from '../image/words.ts'
import { textHead, textTail } from '../text/clip.ts'
import { escaped } from '../text/inert.ts'
import type { Results } from './entries.ts'
import { missingResult } from './result.ts'
import type { Entry } from './write.ts'

/** Nothing is learned from a turn that did not close positively, or that was corrected (C7). */
export const mayBeKept = (entry: Entry): boolean =>
  entry.type === 'said' || (entry.closedWell !== false && entry.corrected !== true)

const gap = '[A turn that was stopped is left out.]'

/** Characters of the longest texts that are written out. */
export interface Clips {
  /** Of a result, and of what a call was asked. */
  readonly results: number
  /** Of what somebody said, its end included. An earlier summary stands whole. */
  readonly words: number
}

/** Long words that stand elsewhere, by their keys. */
export type Texts = ReadonlyMap<string, string>

interface Written {
  readonly results: Results
  readonly clips: Clips
  readonly texts: Texts
}

/** The text of these entries. */
export const serialised = (entries: readonly Entry[], written: Written): string =>
  entries
    // Notes about the user are no part of the conversation: they stand behind the summary as they are.
    .filter((entry) => entry.type !== 'said' || !entry.isMemory)
    .map((entry) => {
      if (!mayBeKept(entry)) return gap
      if (entry.type === 'answered') return answerOf(entry.parts, written)
      // The text that a summary quotes is escaped already.
      if (entry.isSummary) return `user: ${entry.parts.map(wholeBy(written)).join('\n')}`
      return `user: ${wordsOf(entry.parts, written)}`
    })
    .join('\n\n')

function answerOf(parts: readonly AssistantPart[], written: Written): string {
  const { results, clips } = written
  const lines = parts.flatMap((part): string[] => {
    if (part.type === 'text' || part.type === 'blob')
      return [`assistant: ${wordsOf([part], written)}`]
    if (part.type !== 'tool_call') return []
    const args = clip(JSON.stringify(part.args), clips.results)
    return [
      `assistant calls ${escaped(part.name)}: ${escaped(args)}`,
      resultLine(results.get(part.id) ?? missingResult, clips.results),
    ]
  })
  return lines.join('\n')
}

const resultLine = ({ content, isError }: ToolOutput, chars: number): string =>
  `${isError ? 'error' : 'result'}: ${partsOf(content, chars)}`

const partsOf = (parts: readonly ContentPart[], chars: number): string =>
  parts.map((part) => escaped(clip(partWords(part), chars))).join('\n')

const wordsOf = (parts: readonly ContentPart[], written: Written): string =>
  parts
    .map(wholeBy(written))
    .map((words) => escaped(withoutMiddle(words, written.clips.words)))
    .join('\n')

/** The words of a message, whole where they are known. */
const wholeBy =
  ({ texts }: Pick<Written, 'texts'>) =>
  (part: ContentPart): string =>
    (part.type === 'blob' ? texts.get(part.key) : undefined) ?? partWords(part)

const clip = (words: string, chars: number): string =>
  words.length <= chars ? words : `${textHead(words, chars)}…`

/** At most so many characters of a text: its beginning and its end, and between them how many are left out. */
export function withoutMiddle(words: string, chars: number): string {
  if (words.length <= chars) return words
  const half = Math.floor(chars / 2)
  const [head, tail] = [textHead(words, half), textTail(words, half)]
  const left = words.length - head.length - tail.length
  return `${head}\n[… ${left} characters are left out …]\n${tail}`
}
