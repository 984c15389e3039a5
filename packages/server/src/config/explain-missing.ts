/** Why an import leads nowhere, and which file, ending, package or name was probably meant. */
import { readdir, readFile } from 'node:fs/promises'
import { basename, dirname, extname, isAbsolute, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { commonJsWords } from './commonjs-words.ts'
import { importsOf, importedFile } from './module-imports.ts'
import { suggestion } from './nearest.ts'
import { shownFile, shownPlace } from './place.ts'

/** An error of an import, and where its reader stands. */
export interface Failed {
  readonly code: string
  readonly message: string
  /** Folder that paths are shown from. */
  readonly from: string
  /** The file that was to be loaded. */
  readonly file: string
}

const endings = ['.ts', '.mts', '.js', '.mjs', '.cts', '.cjs', '.json']

/** The sentence; null for another kind of error. */
export async function explainMissing(failed: Failed): Promise<string | null> {
  const { code, message } = failed
  const importer = importerIn(message)
  const named = (pattern: RegExp): string | null => pattern.exec(message)?.[1] ?? null
  switch (code) {
    case 'ERR_MODULE_NOT_FOUND':
    case 'MODULE_NOT_FOUND':
    case 'ERR_UNSUPPORTED_DIR_IMPORT': {
      const library = named(/^Cannot find package '([^']+)'/)
      if (library !== null) return missingPackage(failed, packageIn(library), importer)
      const target = named(/^(?:Cannot find module|Directory import) '([^']+)'/)
      if (target === null) return null
      if (/^[^./]/.test(target) && !target.startsWith('file:') && !isAbsolute(target))
        return missingPackage(failed, packageIn(target), importer)
      const path = resolve(dirname(importer ?? failed.file), pathOf(target))
      return missingFile(failed, path, importer)
    }
    case 'ERR_PACKAGE_PATH_NOT_EXPORTED': {
      const where =
        importer === null ? shownFile(failed.file, failed.from) : shownFile(importer, failed.from)
      return `${where} imports a part of a package that the package does not offer: ${firstLine(message)}`
    }
    case 'ERR_UNKNOWN_BUILTIN_MODULE':
      return missingBuiltin(failed, named(/module: (\S+)/) ?? 'node:')
    default:
      return null
  }
}

/** Why a file does not give the name that is imported from it; null for another kind of error. */
export async function explainMissingName(
  { message, from, file }: Failed,
  importer: { readonly file: string; readonly line: number | null } | null,
): Promise<string | null> {
  const [, specifier = '', name = ''] =
    /requested module '([^']+)' does not provide an export named '([^']+)'/.exec(message) ?? []
  if (name === '') return null
  const where = shownPlace(importer ?? { file, line: null }, from)
  const target = importedFile(importer?.file ?? file, specifier)
  const names = target === null ? [] : await namesIn(target)
  // It exports the name, and Node sees none: it reads the file as CommonJS.
  const commonJs = target !== null && names.includes(name) ? await commonJsWords(target) : null
  if (target !== null && commonJs !== null) return `${shownFile(target, from)}: ${commonJs}`
  const hint = suggestion(name, names)
  const why = name === 'default' ? 'which has no default export' : `which exports no "${name}"`
  const types = name === 'default' ? '' : ' A type is imported with "import type".'
  return `${where}: it imports from ${specifier}, ${why}.${hint || types}`
}

const exported = /^export\s+(?:async\s+)?(?:const|let|var|function\*?|class)\s+([A-Za-z_$][\w$]*)/gm

async function namesIn(file: string): Promise<readonly string[]> {
  const text = await readFile(file, 'utf8').catch(() => '')
  return [...text.matchAll(exported)].map(([, name = '']) => name)
}

async function missingPackage(
  { from, file }: Failed,
  name: string,
  importer: string | null,
): Promise<string> {
  const where = await placeOfImport(importer ?? file, from, (specifier) =>
    [specifier, packageIn(specifier)].includes(name),
  )
  return `${where}: it imports the package "${name}", which is not installed here. Type: npm install ${name}`
}

/** `@scope/name/part` is a part of the package `@scope/name`. */
const packageIn = (specifier: string): string =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')

async function missingFile(
  { from, file }: Failed,
  target: string,
  importer: string | null,
): Promise<string> {
  const near = await nearFile(target)
  if (target === file)
    return `${shownFile(file, from)} is not there.${near === null ? '' : ` Did you mean ${near}?`}`
  const importing = importer ?? file
  const imports = await importsOf(importing)
  const found = imports.find(
    ({ specifier }) => specifier === target || importedFile(importing, specifier) === target,
  )
  const where = shownPlace({ file: importing, line: found?.line ?? null }, from)
  const specifier = found?.specifier ?? target
  const meant =
    near === null
      ? ''
      : ` Did you mean ${join(dirname(specifier), near).replace(/^(?![./])/, './')}?`
  return `${where}: it imports ${specifier}, which is not there. An import names its file with the ending.${meant}`
}

/** The file beside a path that was probably meant: with an ending, with another one, or spelt a little differently. */
async function nearFile(target: string): Promise<string | null> {
  const name = basename(target)
  const there = await readdir(dirname(target)).catch((): string[] => [])
  const bare = endings.includes(extname(name)) ? name.slice(0, -extname(name).length) : name
  for (const ending of endings) if (there.includes(`${bare}${ending}`)) return `${bare}${ending}`
  const inside = await readdir(target).catch((): string[] => [])
  const index = endings.map((ending) => `index${ending}`).find((each) => inside.includes(each))
  if (index !== undefined) return `${name}/${index}`
  return /Did you mean "(.+)"\?/.exec(suggestion(name, there))?.[1] ?? null
}

async function missingBuiltin({ from, file }: Failed, name: string): Promise<string> {
  const where = await placeOfImport(file, from, (specifier) => specifier === name)
  return `${where}: it imports ${name}, which is no module of Node.js ${process.version}`
}

async function placeOfImport(
  file: string,
  from: string,
  isMeant: (specifier: string) => boolean,
): Promise<string> {
  const found = (await importsOf(file)).find(({ specifier }) => isMeant(specifier))
  return shownPlace({ file, line: found?.line ?? null }, from)
}

const firstLine = (text: string): string => text.split('\n')[0] ?? ''

/** The file whose import failed; null if the message does not say. */
function importerIn(message: string): string | null {
  const text =
    /imported from (.+)/.exec(message)?.[1] ?? /^Require stack:\n- (.+)$/m.exec(message)?.[1]
  return text === undefined ? null : pathOf(text)
}

const pathOf = (text: string): string => (text.startsWith('file:') ? fileURLToPath(text) : text)
