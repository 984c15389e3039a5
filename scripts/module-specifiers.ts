import { parseSync, Visitor } from 'oxc-parser'

/** One mention of another module: its name and where the quoted string stands in the text. */
export interface ModuleSpecifier {
  readonly value: string
  /** Offset of the opening quote. */
  readonly start: number
  /** Offset behind the closing quote. */
  readonly end: number
}

/**
 * Every module a file names: imports, re-exports, `import()` of a literal, and `import('…')` in a type. Sorted by place.
 *
 * @throws Error when the file does not parse: a file that is not understood must not pass for one without imports.
 */
export function moduleSpecifiers(path: string, text: string): ModuleSpecifier[] {
  const { module, program, errors } = parseSync(path, text)
  if (errors.length > 0) throw new Error(`${path}: ${errors[0]?.message ?? 'does not parse'}`)
  const found = new Map<number, ModuleSpecifier>()
  const add = (start: number, end: number): void => {
    const quoted = text.slice(start, end)
    if (/^(["']).*\1$/s.test(quoted)) {
      found.set(start, { value: quoted.slice(1, -1), start, end })
    }
  }
  for (const { moduleRequest } of module.staticImports) add(moduleRequest.start, moduleRequest.end)
  for (const { moduleRequest } of module.dynamicImports) add(moduleRequest.start, moduleRequest.end)
  for (const { entries } of module.staticExports) {
    for (const { moduleRequest } of entries) {
      if (moduleRequest !== null) add(moduleRequest.start, moduleRequest.end)
    }
  }
  new Visitor({ TSImportType: ({ source }) => add(source.start, source.end) }).visit(program)
  return [...found.values()].toSorted((left, right) => left.start - right.start)
}
