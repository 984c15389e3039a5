/** Doc comments of object literals: what stands before a property, by the names it is nested in. */
import { readFileSync } from 'node:fs'
import { parseSync, Visitor } from 'oxc-parser'

/** Comments by path, such as `factSchemas.run.created.input` or `ToolSpec.version`. One line each. */
export type DocComments = ReadonlyMap<string, string>

interface Span {
  readonly start: number
  readonly end: number
}

/** Reads the doc comments of declared constants and of the properties below them. */
export function readDocComments(files: readonly string[]): DocComments {
  const found = new Map<string, string>()
  for (const file of files) readFile(file, found)
  return found
}

function readFile(file: string, found: Map<string, string>): void {
  const text = readFileSync(file, 'utf8')
  const { program, comments } = parseSync(file, text)
  const docs = comments.filter(({ type, value }) => type === 'Block' && value.startsWith('*'))
  const names: string[] = []
  const enter = (name: string, { start }: Span): void => {
    names.push(name)
    const doc = docs.findLast(({ end }) => end <= start && text.slice(end, start).trim() === '')
    if (doc) found.set(names.join('.'), oneLine(doc.value))
  }
  const leave = (): void => {
    names.pop()
  }
  let exported: Span | null = null
  new Visitor({
    ExportNamedDeclaration: (node) => {
      exported = node
    },
    'ExportNamedDeclaration:exit': () => {
      exported = null
    },
    VariableDeclarator: (node) => enter(nameOf(text, node.id), exported ?? node),
    'VariableDeclarator:exit': leave,
    Property: (node) => enter(nameOf(text, node.key), node),
    'Property:exit': leave,
  }).visit(program)
}

const nameOf = (text: string, { start, end }: Span): string =>
  text.slice(start, end).replaceAll(/^'|'$/g, '')

/** ` * first\n   * second ` as one line. */
const oneLine = (comment: string): string =>
  comment
    .replace(/^\*/, '')
    .replaceAll(/\n\s*\*?\s*/g, ' ')
    .trim()
