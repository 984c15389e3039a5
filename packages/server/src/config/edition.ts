/**
 * Editions of a configuration, for a process that loads it again when its files change.
 *
 * E1 What a user's configuration imports by path, directly or through others, belongs to an edition: a new one loads every
 *    such module anew. Packages are loaded once.
 * E2 A file that a run may write keeps what it held when it was first loaded: no run changes what governs it.
 * E3 Without an edition nothing is tracked, and each module is loaded once, as Node does.
 *
 * The edition stands in a query of the module's address, since Node remembers modules by address, for the whole process.
 * That is why the current edition belongs to the process, too.
 */
import { createHash } from 'node:crypto'
import { readFileSync, realpathSync } from 'node:fs'
import { createRequire, registerHooks } from 'node:module'
import { isAbsolute, relative, sep } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

/** What was read for an edition. It grows while its modules import others. */
export interface Edition {
  /** By path: what the file held when it was loaded. */
  readonly files: ReadonlyMap<string, string>
  /** Those of them that a run may write. */
  readonly pinned: ReadonlySet<string>
  /** Says which folders runs may write, for this edition and all that follow. */
  pin(folders: readonly string[]): void
}

class Loading implements Edition {
  readonly files = new Map<string, string>()
  readonly pinned = new Set<string>()
  readonly number: number
  readonly #writable: Set<string>

  constructor(number: number, before: Loading | null) {
    this.number = number
    this.#writable = new Set(before === null ? [] : before.#writable)
  }

  pin(folders: readonly string[]): void {
    for (const folder of folders) this.#writable.add(withoutLinks(folder))
    for (const file of this.files.keys()) this.#pinIfWritable(file)
  }

  note(file: string): void {
    if (this.files.has(file)) return
    this.files.set(file, fingerprint(file))
    this.#pinIfWritable(file)
  }

  isWritable(file: string): boolean {
    const place = withoutLinks(file)
    return [...this.#writable].some((folder) => isWithin(folder, place))
  }

  #pinIfWritable(file: string): void {
    if (this.isWritable(file)) this.pinned.add(file)
  }
}

const mark = 'edition'
/** Which edition loaded a file last, and the texts and bytes that were read: what is pinned stays so. */
const loadedIn = new Map<string, number>()
const texts = new Map<string, string>()
const contents = new Map<string, Uint8Array>()
const editions = new Map<number, Loading>()
let current: Loading | null = null

/** Begins an edition: from now on configurations are loaded into it. */
export function beginEdition(): Edition {
  const before = current
  if (before === null) registerHooks({ resolve })
  else forgetRequired(before)
  current = new Loading((before?.number ?? 0) + 1, before)
  editions.set(current.number, current)
  return current
}

/** The address to import a file at. */
export function addressOf(file: string): string {
  const { href } = pathToFileURL(file)
  return current === null ? href : marked(href, editionFor(current, file))
}

/** Notes a file that a configuration names, and that was just read. Answers the text that counts. */
export function noteText(file: string, text: string): string {
  if (current === null) return text
  current.note(file)
  const before = current.pinned.has(file) ? texts.get(file) : undefined
  if (before !== undefined) return before
  texts.set(file, text)
  return text
}

/** The same of bytes. */
export function noteBytes(file: string, bytes: Uint8Array): Uint8Array {
  if (current === null) return bytes
  current.note(file)
  const before = current.pinned.has(file) ? contents.get(file) : undefined
  if (before !== undefined) return before
  contents.set(file, bytes)
  return bytes
}

/** What tells one content of a file from another. Of a file that is not there: an empty text. */
export function fingerprint(file: string): string {
  try {
    return createHash('sha256').update(readFileSync(file)).digest('hex')
  } catch {
    return ''
  }
}

type Resolve = NonNullable<Parameters<typeof registerHooks>[0]['resolve']>

const resolve: Resolve = (specifier, context, next) => {
  const edition = editionOf(context.parentURL)
  if (edition === null || !isPath(specifier)) return next(specifier, context)
  const found = tryResolve(() => next(specifier, context), { edition, specifier, context })
  if (!found.url.startsWith('file:')) return found
  const file = fileURLToPath(found.url)
  // A module of CommonJS is remembered by its path: see `forgetRequired`.
  if (context.conditions?.includes('require')) {
    edition.note(file)
    return found
  }
  return { ...found, url: marked(found.url, editionFor(edition, file)) }
}

function tryResolve<T>(
  find: () => T,
  of: {
    readonly edition: Loading
    readonly specifier: string
    readonly context: { readonly parentURL?: string | undefined }
  },
): T {
  try {
    return find()
  } catch (error) {
    // It may come: then the edition is worth another try.
    const wanted = URL.parse(of.specifier, of.context.parentURL)
    if (wanted?.protocol === 'file:') of.edition.note(fileURLToPath(wanted))
    throw error
  }
}

/** The edition that a module belongs to; null if to none. */
function editionOf(address: string | undefined): Loading | null {
  const url = address === undefined ? null : URL.parse(address)
  if (url?.protocol !== 'file:') return null
  const number = url.searchParams.get(mark)
  if (number !== null) return editions.get(Number(number)) ?? null
  return current?.files.has(fileURLToPath(url)) === true ? current : null
}

/** Notes the file, and says which edition it is loaded in. */
function editionFor(edition: Loading, file: string): number {
  edition.note(file)
  const before = edition.pinned.has(file) ? loadedIn.get(file) : undefined
  if (before !== undefined) return before
  loadedIn.set(file, edition.number)
  return edition.number
}

/** Modules of CommonJS that editions have loaded are loaded anew by the next. */
function forgetRequired(before: Loading): void {
  const { cache } = createRequire(import.meta.url)
  for (const { files } of editions.values())
    for (const file of files.keys())
      if (!before.isWritable(file)) Reflect.deleteProperty(cache, file)
}

function marked(address: string, number: number): string {
  const url = new URL(address)
  url.searchParams.set(mark, String(number))
  return url.href
}

const isPath = (specifier: string): boolean => /^(\.{0,2}\/|#|file:)/.test(specifier)

const isWithin = (folder: string, file: string): boolean => {
  const way = relative(folder, file)
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}

/** The path as the disk has it; as it is written where nothing stands there. */
function withoutLinks(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}
