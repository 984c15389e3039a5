/**
 * Why a module of the user's own cannot be loaded, in one sentence that begins with file and line. Node's errors speak of
 * loaders; their stacks are for `--debug`.
 */
import { commonJsWords } from './commonjs-words.ts'
import { explainMissing, explainMissingName, type Failed } from './explain-missing.ts'
import { circleOf, filesFrom } from './module-imports.ts'
import {
  isOurs,
  isUnparsed,
  type SourcePlace,
  sourcePlaceOf,
  shownFile,
  shownPlace,
} from './place.ts'
import { syntaxPlace } from './syntax-place.ts'

/** Which module was to be loaded, and the folder that paths are shown from. */
export interface Loading {
  readonly file: string
  readonly from: string
}

/** The sentence. What the module threw may be anything. */
export async function explainImport(error: unknown, { file, from }: Loading): Promise<string> {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const message = error instanceof Error ? error.message : String(error)
  const failed = { code, message, from, file }
  const missing = await explainMissing(failed)
  if (missing !== null) return missing
  const place = sourcePlaceOf(error)
  // One with a place in its stack was thrown by a line that ran, such as JSON.parse.
  if (error instanceof SyntaxError && (place === null || isUnparsed(error)))
    return explainSyntax(failed, place)
  const where = shownPlace(place ?? { file, line: null }, from)
  const known = knownError(failed, error) ?? (await circleWords(failed, error, place))
  if (known !== null) return `${where}: ${known}`
  const said = oneLine(message) || 'an error without a message'
  return isOurs(error) ? `${where}: ${said}` : `${where}: it throws while it is loaded: ${said}`
}

const oneLine = (text: string): string => text.trim().replaceAll(/\s*\n\s*/g, ' ')

function knownError({ code, message }: Failed, error: unknown): string | null {
  if (code === 'ERR_UNKNOWN_FILE_EXTENSION')
    return 'Node.js runs .ts, .mts, .js and .mjs files, and this is none; TypeScript needs Node.js 22.18 or newer without --no-experimental-strip-types'
  if (code === 'ERR_UNSUPPORTED_NODE_MODULES_TYPE_STRIPPING')
    return 'Node.js runs no TypeScript below node_modules; take JavaScript there'
  if (code === 'ERR_IMPORT_ATTRIBUTE_MISSING')
    return `a JSON file is imported with { type: 'json' } after its name: import data from './data.json' with { type: 'json' }`
  if (!(error instanceof ReferenceError)) return null
  const [, word = ''] =
    /^(require|module|exports|__dirname|__filename) is not defined/.exec(message) ?? []
  if (word === '') return null
  if (word.startsWith('__'))
    return `${word} is not there in a module: take import.meta${word === '__dirname' ? '.dirname' : '.filename'}`
  return `${word} is not there in a module: take ${word === 'require' ? 'import' : 'export'}`
}

/** A value that is used before its line has run: two files that import each other, or a line that stands too early. */
async function circleWords(
  { message, from }: Failed,
  error: unknown,
  place: SourcePlace | null,
): Promise<string | null> {
  const name = /^Cannot access '(.+)' before initialization$/.exec(message)?.[1]
  if (!(error instanceof ReferenceError) || name === undefined) return null
  const other = place === null ? null : await circleOf(place.file)
  if (place === null || other === null) return `"${name}" is used above the line that makes it`
  const both = [place.file, other].map((file) => shownFile(file, from)).join(' and ')
  return `"${name}" is used before it is there, since ${both} import each other; move what both need into a file of its own`
}

const notErasable: readonly (readonly [RegExp, string])[] = [
  [/enum/i, "an enum; take an object: const Colour = { red: 'red' } as const"],
  [
    /parameter propert/i,
    'a parameter property; declare the field and assign it in the constructor',
  ],
  [/namespace|module/i, 'a namespace; take a file of its own'],
  [
    /import.*(?:equals|=)|export.*(?:assignment|=)/i,
    'import or export with "="; take import … from and export',
  ],
]

async function explainSyntax(failed: Failed, place: SourcePlace | null): Promise<string> {
  const { code, message, from, file } = failed
  const name = await explainMissingName(failed, place)
  if (name !== null) return name
  const found = place ?? (await syntaxPlace(await filesFrom(file)))
  const at = found ?? { file, line: null }
  const where = shownPlace(at, from)
  if (code === 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX') {
    const [, what] = notErasable.find(([kind]) => kind.test(message)) ?? []
    return `${where}: Node.js runs TypeScript by leaving the types out, so it cannot run ${what ?? oneLine(message)}`
  }
  const commonJs = moduleWords.test(message) ? await commonJsWords(at.file) : null
  return `${where}: ${commonJs ?? `it cannot be read: ${oneLine(message)}`}`
}

/** What Node says of the words of a module in a file that it takes for CommonJS. */
const moduleWords =
  /^Cannot use import statement outside a module|^Unexpected token 'export'|^Cannot use 'import\.meta' outside a module|^await is only valid in async functions and the top level/
