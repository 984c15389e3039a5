/**
 * Clearing: old results give way to one line each, and old long messages to head and tail. The call, its arguments and its one result
 * stay, so pairing holds (I24).
 *
 * K1 A result is cleared once, by the first prune that reaches it, and the line about it is always the same.
 * K2 What a rule does not name stays as it is: results that report an error, that are short, or of tools that are excluded.
 * K3 Images of a result stay when its words go: they give way by their number (`shown-images.ts`).
 */
import { limits } from '../limits.ts'
import type {
  AssistantPart,
  BlobPart,
  ContentPart,
  TextPart,
  ToolCallPart,
  ToolOutput,
} from '../message.ts'
import { partWords } from '../image/words.ts'
import { textHead, textTail } from '../text/clip.ts'
import { bytesAsJson, bytesAsUtf8 } from '../text/utf8.ts'
import type { ClearRule } from '../verdict/context/verdict.ts'
import type { Conversation } from './conversation.ts'
import { isThrough, type SaidAt } from './place.ts'
import { EntryReader } from './entry-reader.ts'
import type { CallAnswer, Entry } from './write.ts'

/** Clears what is before a place. What was cleared by the same rule before is not looked at again. */
export function clear(conversation: Conversation, through: SaidAt, rule: ClearRule): void {
  const { entries, runs } = conversation
  const reading = clearingBy(conversation, rule)
  const { all } = entries
  for (let at = reading.resume(); at < all.length; at += 1) {
    const entry = all[at]
    if (!entry || !isThrough(entry.at, through)) break
    if (entry.type === 'answered') clearResults(conversation, entry, rule)
    const short = shortened(entry, { rule, current: runs.current })
    if (short) entries.replace(at, short)
    reading.read(entry)
  }
  reading.settle()
}

/** Where the last prune stands, if it did the same: by this rule, in this run. */
function clearingBy(conversation: Conversation, rule: ClearRule): EntryReader {
  const { clearing, runs } = conversation
  const as = JSON.stringify([rule, runs.current])
  const reading = clearing?.reading ?? new EntryReader(conversation)
  if (clearing?.as !== as) reading.backTo(0)
  conversation.clearing = { as, reading }
  return reading
}

function clearResults(
  { results, cleared }: Conversation,
  { parts }: CallAnswer,
  rule: ClearRule,
): void {
  for (const call of callsIn(parts)) {
    const output = results.get(call.id)
    if (!output || cleared.has(call.id) || !isClearable(call, output, rule)) continue
    results.set(call.id, clearedResult(call, output, rule))
    cleared.add(call.id)
  }
}

const callsIn = (parts: readonly AssistantPart[]): readonly ToolCallPart[] =>
  parts.filter((part) => part.type === 'tool_call')

/** Does the rule name this result? */
export const isClearable = (
  { name }: Pick<ToolCallPart, 'name'>,
  { content, isError }: ToolOutput,
  { minChars, exclude }: ClearRule,
): boolean => !isError && !exclude.includes(name) && lengthOf(content) >= minChars

const lengthOf = (content: readonly ContentPart[]): number =>
  content.reduce((chars, part) => chars + (part.type === 'image' ? 0 : partWords(part).length), 0)

/** Bytes of contents that were measured. They are never changed, only replaced. */
const sizes = new WeakMap<object, number>()

function sizeOf(content: readonly ContentPart[]): number {
  const known = sizes.get(content) ?? content.reduce((bytes, part) => bytes + sizeOfPart(part), 0)
  sizes.set(content, known)
  return known
}

function sizeOfPart(part: ContentPart): number {
  if (part.type === 'image') return 0
  return part.type === 'text' ? bytesAsUtf8(part.text) : part.bytes
}

const pointer = (id: string): string => `read_result ${JSON.stringify({ call: id, offset: 0 })}`

function clearedResult(
  { id, name }: ToolCallPart,
  { content }: ToolOutput,
  { readable }: ClearRule,
): ToolOutput {
  const what = `[The result of ${name}, ${sizeOf(content)} bytes, was left out to save room.`
  const how = readable
    ? `Read it again with ${pointer(id)}]`
    : 'Make the call again if you need it.]'
  const images = content.filter(({ type }) => type === 'image')
  return { content: [{ type: 'text', text: `${what} ${how}` }, ...images], isError: false }
}

/** Bytes of JSON that stay of a result once it is cleared. */
export const lineBytes = (call: ToolCallPart, output: ToolOutput, rule: ClearRule): number =>
  bytesAsJson(clearedResult(call, output, rule).content)

/** The entry with its long texts shortened; null if there are none. */
export function shortened(
  entry: Entry,
  { rule, current }: { readonly rule: ClearRule; readonly current: number },
): Entry | null {
  if (entry.type === 'said' && (entry.isSummary || entry.isMemory)) return null
  const most = entry.at.run < current ? rule.wordsChars : rule.ownChars
  const isLong = (part: AssistantPart | ContentPart): part is TextPart | BlobPart =>
    (part.type === 'text' && part.text.length > most) || (part.type === 'blob' && part.bytes > most)
  if (!entry.parts.some(isLong)) return null
  const cut = (part: TextPart | BlobPart): TextPart => headAndTail(part, entry.id, rule)
  if (entry.type === 'said')
    return { ...entry, parts: entry.parts.map((part) => (isLong(part) ? cut(part) : part)) }
  return { ...entry, parts: entry.parts.map((part) => (isLong(part) ? cut(part) : part)) }
}

const shownChars = limits.previewBytesMax / 4

/** Head and tail of a long text. A text that stands elsewhere has its own, with a line between them that says how long it is. */
function headAndTail(
  part: TextPart | BlobPart,
  id: string | undefined,
  { readable }: ClearRule,
): TextPart {
  const shown =
    part.type === 'blob'
      ? part.preview
      : [
          textHead(part.text, shownChars),
          `[… ${bytesAsUtf8(part.text)} bytes in all; only the head and the tail are shown …]`,
          textTail(part.text, shownChars),
        ].join('\n')
  const how = readable && id !== undefined ? `\n[Read it again with ${pointer(id)}]` : ''
  return { type: 'text', text: `${shown}${how}` }
}
