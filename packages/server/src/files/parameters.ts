/**
 * Headers that have a value and parameters behind it (RFC 9110 section 5.6.6), as those send them who send files.
 *
 * P1 What stands in quotes is never read as another parameter.
 * P2 What is not such a list whole, or names a parameter twice, is not guessed: it is no list.
 */

/** A header, taken apart. */
export interface Parameterised {
  /** In lower case, as it means the same. */
  readonly value: string
  /** By name, in lower case. Texts as they stand there, without their quotes. */
  readonly parameters: ReadonlyMap<string, string>
}

/**
 * A quotation mark ends a text, but for one behind a backslash in the middle of it: browsers write `%22` and leave backslashes as they are
 * (`"C:\"`), others write `\"`.
 */
const parameter = /\s*;(?:\s*([^\s=;"]+)=(?:"((?:[^"]|(?<=\\)"(?!\s*(?:;|$)))*)"|([^\s;"]*)))?/y
const end = /\s*$/y

/** Null: it is no value with parameters. */
export function parametersOf(header: string): Parameterised | null {
  const [whole = '', value = ''] = /^\s*([^\s;"]+)/.exec(header) ?? []
  const parameters = new Map<string, string>()
  let at = whole.length
  for (;;) {
    end.lastIndex = at
    if (end.test(header)) break
    parameter.lastIndex = at
    const found = parameter.exec(header)
    if (!found) return null
    at = parameter.lastIndex
    const [, name, quoted, plain = ''] = found
    if (name === undefined) continue
    if (parameters.has(name.toLowerCase())) return null
    parameters.set(name.toLowerCase(), quoted?.replaceAll('\\"', '"') ?? plain)
  }
  return value === '' ? null : { value: value.toLowerCase(), parameters }
}
