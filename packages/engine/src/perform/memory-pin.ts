/**
 * The notes about the user in a request: chosen once, by the first model call of a run, whose fact pins them; and put in the place of their references
 * before the request is sent.
 *
 * P1 A pin that the log has is taken as it is: the same run is shown the same notes in every attempt and every turn.
 * P2 A reference without its text, for it was erased, shows one note less.
 */
import {
  type AgentDefinition,
  limits,
  memoryBlock,
  nameOfShown,
  notesIn,
  type PinnedMemory,
  type PromptMessage,
  saidTexts,
  selectItems,
  shownAs,
  type ShownNote,
  type ShownNotes,
  tokensOfText,
} from '@signalbox/core'
import type { ThreadRef } from '../ports.ts'
import { sha256 } from '../record/draft.ts'
import type { Origin } from './evidence.ts'
import type { ItemText, Memories } from './memories.ts'
import type { PromptDraft } from './prompt-steps.ts'

interface Shown {
  readonly memories: Memories
  readonly tenantId: string
}

/** Does a run of the agent show notes in its requests? */
export const showsNotes = ({ memory }: AgentDefinition): boolean => memory?.mode === 'block'

/** Chooses the notes that a run shows. `words`: what its user says. */
export async function pinOf(
  { memories, tenantId }: Shown,
  {
    threadId,
    words,
    before,
  }: { readonly threadId: string; readonly words: string; readonly before: ShownNotes | null },
): Promise<PinnedMemory> {
  const { at, items, withheld } = await memories.shown({ tenantId, threadId })
  const standing = new Set(items.map(({ item }) => nameOfShown(shownAs(item))))
  const known = before?.notes ?? []
  const gone = known.filter((note) => !standing.has(nameOfShown(note))).map(({ n }) => n)
  const shown = new Set(known.map(nameOfShown))
  const fresh = items.filter(({ item }) => !shown.has(nameOfShown(shownAs(item))))
  const tokens = known.length === 0 ? limits.memoryShownTokensMax : limits.memoryAddedTokensMax
  const chosen = selectItems(fresh, { words, tokens })
  const last = before?.last ?? 0
  const notes = chosen.map(({ item }, n) => ({ n: last + n + 1, ...shownAs(item) }))
  const isFirst = known.length === 0
  const block = memoryBlock(
    chosen.map(({ item: { kind, since }, text }, n) => ({ n: last + n + 1, kind, since, text })),
    { gone, isFirst },
  )
  return {
    threadId,
    at,
    notes,
    gone,
    last: last + notes.length,
    ...(isFirst ? { first: true } : {}),
    bytes: Buffer.byteLength(block ?? ''),
    tokens: block === null ? 0 : tokensOfText(block),
    digest: block === null ? '' : sha256(block),
    withheld,
  }
}

/** The words of a user that a run begins with, as far as its first event holds them. */
export const wordsOf = ({ input }: Pick<Origin, 'input'>): string => saidTexts(input).join('\n')

/** The prompt with the notes in the place of their references. */
export async function withNotes(
  { memories, tenantId }: Shown,
  draft: PromptDraft,
): Promise<PromptDraft> {
  const references = draft.prompt.flatMap(referencesIn)
  const texts = await textsOf({ memories, tenantId }, references)
  const prompt = draft.prompt.map((message): PromptMessage => {
    if (message.role !== 'user' || referencesIn(message).length === 0) return message
    const parts = message.parts.map((part) => {
      const notes = notesIn(part)
      return notes ? { type: 'text' as const, text: blockOf(notes, texts) } : part
    })
    return { ...message, parts }
  })
  return { ...draft, prompt }
}

const referencesIn = (message: PromptMessage): readonly ShownNotes[] =>
  message.role === 'user'
    ? message.parts.flatMap((part) => {
        const notes = notesIn(part)
        return notes ? [notes] : []
      })
    : []

async function textsOf(
  { memories, tenantId }: Shown,
  references: readonly ShownNotes[],
): Promise<ReadonlyMap<string, ItemText>> {
  const newest = references.at(-1)
  const names = new Set(references.flatMap(({ notes }) => notes.map(nameOfShown)))
  const at = newest?.at
  if (!newest || !at || names.size === 0) return new Map()
  const memory: ThreadRef = { tenantId, threadId: newest.threadId }
  return memories.texts(memory, at, names)
}

const erased = '[Notes about the user stood here, and were erased.]'

function blockOf({ notes, gone, first }: ShownNotes, texts: ReadonlyMap<string, ItemText>): string {
  const known = notes.flatMap((note): ShownNote[] => {
    const found = texts.get(nameOfShown(note))
    return found ? [{ n: note.n, ...found }] : []
  })
  return memoryBlock(known, { gone, isFirst: first === true }) ?? erased
}
