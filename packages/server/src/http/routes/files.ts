/** Reading files: of a thread, now or at a checkpoint; and what a run changed. */
import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi'
import { limits, type TreeFile } from '@signalbox/core'
import type { Context } from 'hono'
import { fileTypes, typeOf } from '../../files/media-type.ts'
import { outputs } from '../../files/artifacts.ts'
import { findFiles, type FoundFiles, changeName } from '../../files/thread-files.ts'
import { parseCheckpointId } from '../../wires/langgraph/checkpoint.ts'
import type { Api, ApiEnv, Identified } from '../api.ts'
import { answers, reply } from '../answers.ts'
import { knownPath } from '../change-file.ts'
import { notRecorded, refused } from '../file-problems.ts'
import { findRun, unknownThread } from '../find.ts'
import { nextLink } from '../next-link.ts'
import { Problem } from '../problem.ts'
import { anyPath } from '../scopes.ts'
import { fileResponse, unchanged } from '../read-file.ts'
import {
  FileAt,
  FilePage,
  ThreadFilePath,
  FileQuery,
  RunFile,
  ThreadFile,
} from '../wire/file-view.ts'
import { ThreadPath } from '../wire/ids.ts'
import { runAddresses } from './runs.ts'

const tags = ['Files']
/** As the router has it: a path may have slashes, and calls may have given it separators of lines. */
export const filePattern = `/threads/{thread_id}/files/{path}${anyPath}`
export const fileAddress = '/threads/{thread_id}/files/{path}'

export function fileRoutes(app: OpenAPIHono<ApiEnv>, api: Api): void {
  listRoute(app, api)
  readRoute(app, api)
  for (const address of runAddresses) runFilesRoute(app, api, address)
}

function listRoute(app: OpenAPIHono<ApiEnv>, api: Api): void {
  const list = createRoute({
    method: 'get',
    path: '/threads/{thread_id}/files',
    tags,
    summary: 'Lists the files of a thread by path, now or at a checkpoint',
    request: { params: ThreadPath, query: FileQuery },
    responses: answers({ description: 'A page of files.', schema: z.array(ThreadFile) }, [
      'unknown_thread',
      'unknown_checkpoint',
      'not_recorded',
      'files_full',
    ]),
  })
  app.openapi(list, async (c) => {
    const { thread_id: threadId } = c.req.valid('param')
    const { at, prefix = '', sha256 = false, ...wish } = c.req.valid('query')
    const { tenantId } = c.get('caller')
    if (api.directories) {
      const files = await listDirectory(api, c.get('caller'), { threadId, at })
      return page(
        c,
        files.filter(({ path }) => beginsWith(path, prefix)),
        wish,
      )
    }
    const found = await filesAt(api, { tenantId, threadId, at })
    const calls = new Map(found.facts.map((fact) => [changeName(fact), fact]))
    const files = [...found.tree]
      .filter(([path]) => beginsWith(path, prefix))
      .map(([path, file]) => ({ path, file }))
    const shown = pageOf(files, wish)
    const keys = shown.flatMap(({ file }) => (file.edits.length > 0 ? [] : [file.key]))
    const digests = sha256 ? await found.digests(keys) : new Map<string, string>()
    const views = shown.map(({ path, file }): ThreadFile => {
      const by = calls.get(file.state)
      return {
        path,
        bytes: sizeOf(file),
        key: file.key,
        sha256: file.edits.length > 0 ? null : (digests.get(file.key) ?? null),
        executable: file.executable,
        changed_by: by ? { run_id: by.runId, seq: by.seq, call_id: by.callId } : null,
      }
    })
    return reply(c, views, { headers: linkOf(c, files, shown) })
  })
}

function readRoute(app: OpenAPIHono<ApiEnv>, api: Api): void {
  const read = createRoute({
    method: 'get',
    path: fileAddress,
    tags,
    summary: 'Reads a file of a thread, now or at a checkpoint; ranges of bytes, too',
    request: {
      params: ThreadFilePath,
      query: FileAt,
      headers: z.object({
        range: z.string().optional(),
        'if-range': z.string().optional(),
        'if-none-match': z.string().optional(),
      }),
    },
    responses: {
      ...answers(
        { description: 'The content, as an attachment.', types: fileTypes, schema: z.string() },
        [
          'unknown_thread',
          'unknown_file',
          'unknown_checkpoint',
          'not_recorded',
          'content_erased',
          'range_not_satisfiable',
          'path_taken',
        ],
      ),
      304: { description: 'It is what `If-None-Match` names.' },
      206: {
        description: 'The range that was asked for.',
        content: Object.fromEntries(fileTypes.map((type) => [type, { schema: z.string() }])),
      },
    },
  })
  app.openAPIRegistry.registerPath(read)
  app.openapi({ ...read, path: filePattern, hide: true }, async (c) => {
    const { thread_id: threadId, path } = c.req.valid('param')
    const { at } = c.req.valid('query')
    const { tenantId } = c.get('caller')
    const wish = {
      // Ranges are those of GET alone (RFC 9110, section 14.2).
      range: c.req.method === 'GET' ? c.req.header('range') : undefined,
      ifRange: c.req.header('if-range'),
      ifNoneMatch: c.req.header('if-none-match'),
    }
    if (api.directories) {
      await insistOnNow(api, c.get('caller'), { threadId, at })
      const held = await api.directories.files({ tenantId, threadId }).read(path)
      if (!held.ok) throw refused(held, { threadId, path })
      const { value: bytes } = held
      return fileResponse({ path, bytes, type: typeOf(bytes), tag: null }, wish)
    }
    const found = await filesAt(api, { tenantId, threadId, at })
    const known = knownPath(found.tree, { threadId, path })
    const file = found.tree.get(known)
    if (!file) throw new Error('unreachable: the path is known')
    const tag = file.edits.length > 0 ? null : file.key
    const bytes = await found.content(file)
    if (!bytes)
      throw new Problem('content_erased', {
        detail: `The content of "${known}" was erased.`,
        field: 'path',
      })
    return (
      unchanged(tag, wish) ?? fileResponse({ path: known, bytes, type: typeOf(bytes), tag }, wish)
    )
  })
}

function runFilesRoute(
  app: OpenAPIHono<ApiEnv>,
  api: Api,
  { path, params }: (typeof runAddresses)[number],
): void {
  const changes = createRoute({
    method: 'get',
    path: `${path}/files`,
    tags,
    summary: 'Lists the files that a run changed, as they were before it and as it left them',
    request: { params, query: FilePage },
    responses: answers({ description: 'A page of files, by path.', schema: z.array(RunFile) }, [
      'unknown_run',
      'not_recorded',
    ]),
  })
  app.openapi(changes, async (c) => {
    const { tenantId, threadId, runId, seq } = await findRun(
      api,
      c.get('caller'),
      c.req.valid('param'),
    )
    if (api.directories) throw notRecorded()
    const found = await findFiles(api.read, { tenantId, threadId, through: { runId, seq } })
    return page(c, await changesOf(found, runId), c.req.valid('query'))
  })
}

/** Paths that users gave are in NFC, in whatever form they are asked for. */
const beginsWith = (path: string, prefix: string): boolean =>
  path.startsWith(prefix) || path.startsWith(prefix.normalize('NFC'))

/** The files that a run changed, by path. */
async function changesOf(found: FoundFiles, runId: string): Promise<readonly RunFile[]> {
  const [before, own] = await Promise.all([found.before(runId), found.changes(runId)])
  const paths = new Map<string, RunFile['changes']>()
  for (const { seq, callId, path } of own)
    paths.set(path, [...(paths.get(path) ?? []), { seq, call_id: callId }])
  return [...paths].map(([path, changes]) => {
    const [was, is] = [before.get(path), found.tree.get(path)]
    return {
      path,
      before: was ? { key: was.key, bytes: sizeOf(was) } : null,
      after: is ? { key: is.key, bytes: sizeOf(is) } : null,
      artifact: is !== undefined && path.startsWith(outputs),
      changes,
    }
  })
}

/** The size of a file; null for one that two calls edited at once, which must be read to know its size. */
const sizeOf = ({ bytes, edits }: TreeFile): number | null => (edits.length > 0 ? null : bytes)

/** The files of a thread that is there, at a checkpoint that it has. @throws Problem */
async function filesAt(
  api: Pick<Api, 'read'>,
  {
    at,
    ...place
  }: { readonly tenantId: string; readonly threadId: string; readonly at: string | undefined },
): Promise<FoundFiles> {
  const through = at === undefined ? null : parseCheckpointId(at)
  const found = await findFiles(api.read, { ...place, through })
  if (!found.isThere) throw unknownThread(place.threadId)
  if (!found.isHeard)
    throw new Problem('unknown_checkpoint', {
      detail: `The thread ${place.threadId} has no checkpoint ${at}. GET /threads/${place.threadId}/history lists them.`,
      field: 'at',
    })
  return found
}

interface Now {
  readonly threadId: string
  readonly at: string | undefined
}

/** Of a directory there is only what is in it now. @throws Problem */
async function insistOnNow(api: Api, { tenantId }: Identified, { threadId, at }: Now) {
  if (!(await api.read.thread(tenantId, threadId))) throw unknownThread(threadId)
  if (at !== undefined) throw notRecorded('at')
}

async function listDirectory(
  api: Api,
  caller: Identified,
  now: Now,
): Promise<readonly ThreadFile[]> {
  await insistOnNow(api, caller, now)
  const { threadId } = now
  const place = { tenantId: caller.tenantId, threadId }
  const listed = await api.directories?.files(place).list()
  if (!listed) throw new Error('unreachable: the files stand in a directory')
  if (!listed.ok) throw refused(listed, { threadId, path: '' })
  const unrecorded = { key: null, sha256: null, executable: false, changed_by: null }
  return listed.value.map((file) => ({ ...file, ...unrecorded }))
}

interface PageWish {
  readonly limit?: number | undefined
  readonly after?: string | undefined
}

const byPath = (a: { readonly path: string }, b: { readonly path: string }): number =>
  a.path < b.path ? -1 : 1

function pageOf<File extends { readonly path: string }>(
  files: readonly File[],
  { limit = limits.pageMax, after = '' }: PageWish,
): readonly File[] {
  return files
    .filter(({ path }) => path > after)
    .sort(byPath)
    .slice(0, limit)
}

function page(
  c: Context<ApiEnv>,
  files: readonly { readonly path: string }[],
  wish: PageWish,
): Response {
  const shown = pageOf(files, wish)
  return reply(c, shown, { headers: linkOf(c, files, shown) })
}

/** A link to the next page, if there is one. */
function linkOf(
  c: Context<ApiEnv>,
  files: readonly { readonly path: string }[],
  shown: readonly { readonly path: string }[],
): Readonly<Record<string, string>> {
  const last = shown.at(-1)?.path
  const isMore = last !== undefined && files.some(({ path }) => path > last)
  return isMore ? { link: nextLink(c.req.url, last) } : {}
}
