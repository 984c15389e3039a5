/** A memory, and what a user said, for the tests of its rules. */
import {
  type MemoryBench,
  emptyMemory,
  foldMemory,
  type Memory,
  type MemoryChange,
  type MemoryKind,
  type Moment,
  type NumberedWords,
  ownWords,
} from '../../src/index.ts'

const run = '01930000-0000-7000-8000-00000000000a'
export const moment = (seq: number): Moment => ({ runId: run, seq })

/** 2026-11-01. */
export const firstDay = Date.UTC(2026, 10, 1)
export const dayMs = 86_400_000

/** The messages of a user, by their numbers from 1 on: one a day. */
export const said = (...messages: readonly string[]): readonly NumberedWords[] =>
  messages.map((message, n) => ({
    n: n + 1,
    at: moment(n + 100),
    said: firstDay + n * dayMs,
    text: ownWords(message),
  }))

export interface Known {
  readonly id: string
  readonly text: string
  readonly kind?: MemoryKind
  readonly by?: 'model' | 'person'
  readonly until?: number
  readonly confidence?: number
  readonly since?: number
}

const addOf = ({
  id,
  text,
  kind = 'preference',
  by = 'model',
  until,
  confidence = 0.9,
  since = firstDay - dayMs,
}: Known): MemoryChange => ({
  op: 'add',
  id,
  key: `key of ${id}`,
  bytes: Buffer.byteLength(text),
  kind,
  sources: by === 'model' ? [moment(1)] : [],
  confidence,
  since,
  ...(until === undefined ? {} : { until }),
  by,
})

export const memoryOf = (...known: readonly Known[]): Memory =>
  foldMemory(
    emptyMemory,
    known.map((each, n) => ({ at: moment(n + 1), changes: [addOf(each)] })),
  )

export const benchOf = (
  words: readonly NumberedWords[],
  known: readonly Known[] = [],
  more: Partial<MemoryBench> = {},
): MemoryBench => ({
  memory: memoryOf(...known),
  texts: new Map(known.map(({ id, text }) => [id, text])),
  words,
  remembered: 0,
  kinds: null,
  secret: new Set(),
  ...more,
})
