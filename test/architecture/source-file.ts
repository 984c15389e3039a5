/** What the architecture test looks at: every source file of every package, parsed once. */
import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

import { parseSync, Visitor } from 'oxc-parser'

import { moduleSpecifiers } from '../../scripts/module-specifiers.ts'

/** A function and its extent. */
export interface FunctionSize {
  /** `path:line` of its first line. */
  readonly at: string
  readonly lines: number
}

/** A name that a file exports: documented where it stands, or passed on from another file. */
export type ExportedName =
  | { readonly documented: boolean }
  | { readonly from: string; readonly name: string }

/** One file below `packages/<name>/src`. */
export interface SourceFile {
  /** From the root of the repository, with forward slashes. */
  readonly path: string
  readonly package: string
  readonly lines: number
  readonly specifiers: readonly string[]
  readonly functions: readonly FunctionSize[]
  /** `path:line` of each function literal that is assigned to a property. */
  readonly assigned: readonly string[]
  readonly exports: ReadonlyMap<string, ExportedName>
  /** `export *` and `export * as` of values; `export type *` is not counted. */
  readonly starExports: number
}

type Module = ReturnType<typeof parseSync>

const starKinds: ReadonlySet<string> = new Set(['All', 'AllButDefault'])
const defaultKinds: ReadonlySet<string> = new Set(['Default'])

/** Reads and parses all of `packages/<name>/src`. */
export function readSources(root: string): SourceFile[] {
  return globSync('packages/*/src/**/*.{ts,tsx}', { cwd: root })
    .map((path) => path.replaceAll('\\', '/'))
    .toSorted()
    .map((path) => readSource(root, path))
}

function readSource(root: string, path: string): SourceFile {
  const text = readFileSync(join(root, path), 'utf8')
  const parsed = parseSync(path, text)
  const entries = parsed.module.staticExports.flatMap((statement) => statement.entries)
  return {
    path,
    package: path.split('/')[1] ?? '',
    lines: lineOf(text, text.length) - (text.endsWith('\n') ? 1 : 0),
    specifiers: moduleSpecifiers(path, text).map(({ value }) => value),
    functions: functionSizes(path, text, parsed),
    assigned: assignedFunctions(path, text, parsed),
    exports: exportedNames(path, text, parsed),
    starExports: entries.filter((entry) => starKinds.has(entry.importName.kind) && !entry.isType)
      .length,
  }
}

function functionSizes(path: string, text: string, { program }: Module): FunctionSize[] {
  const sizes: FunctionSize[] = []
  const measure = ({ start, end }: { start: number; end: number }): void => {
    const first = lineOf(text, start)
    sizes.push({ at: `${path}:${first}`, lines: lineOf(text, end) - first + 1 })
  }
  new Visitor({
    FunctionDeclaration: measure,
    FunctionExpression: measure,
    ArrowFunctionExpression: measure,
  }).visit(program)
  return sizes
}

/** Every function literal that is assigned to a property of something. */
export function assignedFunctions(path: string, text: string, { program }: Module): string[] {
  const found: string[] = []
  new Visitor({
    AssignmentExpression({ left, right, start }) {
      if (bare(left).type === 'MemberExpression' && literals.has(bare(right).type))
        found.push(`${path}:${lineOf(text, start)}`)
    },
  }).visit(program)
  return found
}

const literals: ReadonlySet<string> = new Set(['FunctionExpression', 'ArrowFunctionExpression'])

/** An expression without what stands around it for the compiler or the reader. */
function bare(node: { readonly type: string; readonly expression?: unknown }): {
  readonly type: string
} {
  const { type, expression } = node
  const isAround = /^(?:TS\w+|Parenthesized)Expression$/.test(type)
  return isAround && isNode(expression) ? bare(expression) : node
}

const isNode = (
  value: unknown,
): value is { readonly type: string; readonly expression?: unknown } =>
  typeof value === 'object' && value !== null && 'type' in value

function exportedNames(path: string, text: string, module: Module): Map<string, ExportedName> {
  const docEnds = module.comments
    .filter(({ type, value }) => type === 'Block' && value.startsWith('*'))
    .map(({ end }) => end)
  const isDocumented = (start: number): boolean =>
    docEnds.some((end) => end <= start && text.slice(end, start).trim() === '')
  const names = new Map<string, ExportedName>()
  for (const { entries, start } of module.module.staticExports) {
    for (const entry of entries) {
      const name = defaultKinds.has(entry.exportName.kind)
        ? 'default'
        : (entry.exportName.name ?? '*')
      const known = names.get(name)
      if (known !== undefined && 'documented' in known && known.documented) continue
      names.set(
        name,
        entry.moduleRequest === null
          ? { documented: isDocumented(start) }
          : {
              from: join(dirname(path), entry.moduleRequest.value).replaceAll('\\', '/'),
              name: entry.importName.name ?? name,
            },
      )
    }
  }
  return names
}

function lineOf(text: string, offset: number): number {
  let line = 1
  for (let at = text.indexOf('\n'); at !== -1 && at < offset; at = text.indexOf('\n', at + 1)) {
    line += 1
  }
  return line
}
