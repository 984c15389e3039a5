/**
 * The files of skills, kept in the register beside the definitions that pin them: a run uses those it was created with, on any worker, whatever
 * has become of the folder they were read from.
 *
 * U1 They are addressed by what is in them, and checked when they are read: what was changed is not there.
 * U2 They are of the configuration, and of no tenant, as definitions are: kept once, under a place that no tenant can have.
 * U3 Contents are kept before the list of them, and the list before the definition that pins it.
 */
import {
  limits,
  type LoadedSkill,
  loadedText,
  partsOfSkill,
  type PinnedSkill,
  pinnedSkills,
  skillFile,
} from '@signalbox/core'
import { LRUCache } from 'lru-cache'
import { z } from 'zod'
import type { BundleFile, OwnBundles, Register, SkillBundle, ThreadRef } from '../ports.ts'
import { TerminalError } from '../errors.ts'
import { canonical, sha256 } from '../record/draft.ts'

/** The name of no tenant, and of no thread. */
const place: ThreadRef = { tenantId: '', threadId: '' }
/** Contents that are kept, and read, at the same time. */
const lanes = 4
const cachedBytesMax = 64 * 1024 * 1024

const Listed = z.object({
  path: z.string(),
  sha256: z.string(),
  bytes: z.number().int().min(0),
  executable: z.boolean(),
})
type Listed = z.infer<typeof Listed>
const List = z.array(Listed).max(limits.bundleFilesMax)

/** The files as a bundle, by the digest of their list. */
export function bundleOf(files: readonly BundleFile[]): SkillBundle {
  const sorted = files.toSorted((a, b) => (a.path < b.path ? -1 : 1))
  return { digest: digestOf(sorted.map(listed)), files: sorted }
}

const listed = ({ path, bytes, executable }: BundleFile): Listed => ({
  path,
  sha256: sha256(bytes),
  bytes: bytes.length,
  executable,
})

const digestOf = (list: readonly Listed[]): string => `sha256:${sha256(canonical(list))}`

const listKey = (digest: string): string => `skill:${digest}`
const fileKey = (digest: string): string => `skill-file:${digest}`

/** A skill as it is loaded: its instructions, and the list of its files. */
export function loadedOf(name: string, { files }: SkillBundle): LoadedSkill {
  const file = files.find(({ path }) => path === skillFile)
  const text = file ? Buffer.from(file.bytes).toString('utf8') : ''
  const list = files.map(({ path, bytes }) => ({ path, bytes: bytes.length }))
  return { name, body: partsOfSkill(text)?.body ?? text.trim(), files: list }
}

/** The same as the model reads it. @throws TerminalError `skill_missing` */
export async function loadedBody(
  bundles: Pick<Bundles, 'read'>,
  { name, digest }: Pick<PinnedSkill, 'name' | 'digest'>,
): Promise<string> {
  const bundle = await bundles.read({ digest })
  if (bundle) return loadedText(loadedOf(name, bundle))
  throw new TerminalError(
    'skill_missing',
    `the files of the skill "${name}" are not there any more`,
  )
}

export interface Bundles {
  /** Keeps those of the definition that the register does not have. @throws TerminalError `skill_missing` for one that nobody has */
  keep(definition: Parameters<typeof pinnedSkills>[0]): Promise<void>
  /** Null: it was never kept, was erased, or changed. */
  read(skill: Pick<PinnedSkill, 'digest'>): Promise<SkillBundle | null>
}

/** The bundles of a register. `own`: those that this process has read by itself, which need not be kept yet. */
export function createBundles(deps: {
  readonly register: Pick<Register, 'blob' | 'putBlob'>
  readonly own: OwnBundles
}): Bundles {
  const { register, own } = deps
  const kept = new Set<string>()
  const cache = new LRUCache<string, SkillBundle>({
    maxSize: cachedBytesMax,
    sizeCalculation: ({ files }) => files.reduce((sum, { bytes }) => sum + bytes.length, 1),
  })

  const textAt = async (key: string): Promise<Uint8Array | null> =>
    (await register.blob(place, key))?.bytes ?? null

  const keep = async ({ name, digest }: PinnedSkill): Promise<void> => {
    if (kept.has(digest)) return
    if (!(await textAt(listKey(digest)))) {
      const bundle = own(digest)
      if (!bundle) {
        const message = `the files of the skill "${name}" (${digest}) are not stored, and this process does not have them`
        throw new TerminalError('skill_missing', message)
      }
      await store(register, bundle)
    }
    kept.add(digest)
  }

  const read = async (digest: string): Promise<SkillBundle | null> => {
    const list = listIn(await textAt(listKey(digest)))
    if (!list || digestOf(list) !== digest) return null
    const files = await inLanes(list, async (file) =>
      fileOf(file, await textAt(fileKey(file.sha256))),
    )
    const whole = files.flatMap((file) => file ?? [])
    return whole.length === list.length ? { digest, files: whole } : null
  }

  return {
    keep: async (definition) => void (await inLanes(pinnedSkills(definition), keep)),
    async read({ digest }) {
      const known = own(digest) ?? cache.get(digest)
      if (known) return known
      const bundle = await read(digest)
      if (bundle) cache.set(digest, bundle)
      return bundle
    },
  }
}

async function store(register: Pick<Register, 'putBlob'>, { digest, files }: SkillBundle) {
  const list = files.map(listed)
  await inLanes(files, async ({ bytes }, n) => {
    const key = fileKey(list[n]?.sha256 ?? '')
    await register.putBlob(place, { key, mime: 'application/octet-stream', bytes })
  })
  const bytes = Buffer.from(canonical(list))
  await register.putBlob(place, { key: listKey(digest), mime: 'application/json', bytes })
}

function listIn(bytes: Uint8Array | null): readonly Listed[] | null {
  try {
    return bytes && List.parse(JSON.parse(Buffer.from(bytes).toString('utf8')))
  } catch {
    return null
  }
}

const fileOf = (
  { path, sha256: digest, executable }: Listed,
  bytes: Uint8Array | null,
): BundleFile | null => (bytes && sha256(bytes) === digest ? { path, bytes, executable } : null)

/** Some at a time; answers in the order of the items. */
async function inLanes<T, R>(
  items: readonly T[],
  work: (item: T, n: number) => Promise<R>,
): Promise<readonly R[]> {
  const done: R[] = []
  const run = async (lane: number): Promise<void> => {
    for (let n = lane; n < items.length; n += lanes) {
      const item = items[n]
      if (item !== undefined) done[n] = await work(item, n)
    }
  }
  await Promise.all(Array.from({ length: lanes }, (_, lane) => run(lane)))
  return done
}
