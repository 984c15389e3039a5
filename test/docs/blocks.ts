/**
 * Code blocks of the documentation, and how each of them is run.
 *
 * B1 Every fenced block says how it is run, by its language and the words after it. One that does not fails the tests.
 * B2 Only `text` and `mermaid` need not run; `text output` is what the block before it must have printed.
 */

/** A fenced code block. */
export interface Block {
  /** From the root of the repository. */
  readonly page: string
  /** Of the opening fence, from 1. */
  readonly line: number
  readonly language: string
  readonly code: string
  readonly run: Run
}

/** How a block is run. */
export type Run =
  /** By bash, in the session of its page. `until` runs it in the background, until the server of the page answers. */
  | { readonly how: 'shell'; readonly background: boolean; readonly expectExit: number }
  /** Written to a file of the sandbox, type-checked, and imported. */
  | { readonly how: 'typescript'; readonly file: string }
  /** Read by the parser of the configuration; with a file it is kept for the blocks that follow. */
  | { readonly how: 'config'; readonly file: string | null }
  /** Data in JSON, written to a file of the sandbox for the blocks that follow: a passport, a table of decisions. */
  | { readonly how: 'data'; readonly file: string }
  /** An example of a payload: read by the schema of the event. */
  | { readonly how: 'event'; readonly type: string }
  /** By Postgres, in the database of the page. */
  | { readonly how: 'sql'; readonly role: string; readonly id: string | null }
  /** Compared with what the block before it printed. */
  | { readonly how: 'output' }
  | { readonly how: 'nothing' }

/** A block that says nothing about how to run it. */
class UnknownBlock extends Error {
  override readonly name = 'UnknownBlock'
}

const fence = /^(?<indent> *)(?<ticks>`{3,})(?<info>[^`]*)$/

/** Reads the blocks of a page, in order. @throws UnknownBlock */
export function readBlocks(page: string, text: string): readonly Block[] {
  const blocks: Block[] = []
  const lines = text.split('\n')
  for (let at = 0; at < lines.length; at += 1) {
    const open = fence.exec(lines[at] ?? '')?.groups
    if (!open) continue
    const first = at + 1
    const isClose = (line: string): boolean => line.trim() === open['ticks']
    do at += 1
    while (at < lines.length && !isClose(lines[at] ?? ''))
    if (at >= lines.length) throw new UnknownBlock(`${page}:${first}: the block is not closed`)
    const code = lines.slice(first, at).join('\n')
    const [language = '', ...words] = (open['info'] ?? '').trim().split(/\s+/)
    const run = runOf({ language, words, where: `${page}:${first}` })
    blocks.push({ page, line: first, language, code, run })
  }
  return blocks
}

interface Info {
  readonly language: string
  readonly words: readonly string[]
  readonly where: string
}

function runOf(info: Info): Run {
  const { language, where } = info
  const option = options(info)
  switch (language) {
    case 'sh':
    case 'bash':
    case 'console':
      return {
        how: 'shell',
        background: option('background') !== null,
        expectExit: Number(option('exit') ?? 0),
      }
    case 'ts':
      return {
        how: 'typescript',
        file: option('file') ?? unknown(where, 'a ts block names its file: ```ts file=name.ts'),
      }
    case 'json': {
      const type = option('event')
      if (type !== null) return { how: 'event', type }
      const file = option('file')
      if (file !== null) return { how: 'data', file }
      const config =
        option('config') ?? unknown(where, 'a json block is config, file=<name> or event=<type>')
      return { how: 'config', file: config === '' ? null : config }
    }
    case 'sql':
      return { how: 'sql', role: option('role') ?? 'admin', id: option('id') }
    case 'text':
      return option('output') === null ? { how: 'nothing' } : { how: 'output' }
    case 'mermaid':
      return { how: 'nothing' }
    default:
      return unknown(where, `nothing runs a block of the language "${language}"`)
  }
}

const known = new Set(['background', 'exit', 'file', 'event', 'config', 'role', 'id', 'output'])

/** The value of a word `name=value`; an empty text for the bare word; null if it is not there. */
function options({ words, where }: Info): (name: string) => string | null {
  const values = new Map(
    words.map((word) => {
      const [name = '', value = ''] = word.split('=', 2)
      if (!known.has(name)) unknown(where, `the word "${word}" means nothing here`)
      return [name, value] as const
    }),
  )
  return (name) => values.get(name) ?? null
}

function unknown(where: string, why: string): never {
  throw new UnknownBlock(`${where}: ${why}`)
}
