/** An export into a file, piece by piece. Killed at any moment, it goes on without loss and without repeats. */
import { open, rename, stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { AuditQuery, Client, ExportPiece } from '../client/client.ts'
import { usageFailure } from '../failure.ts'
import { type ExportState, readState, statePath, writeState } from './state.ts'

/** Which events, in which form, where to. */
export interface FileExport {
  readonly format: ExportState['format']
  readonly query: AuditQuery
  readonly out: string
  readonly resume: boolean
  /** Events of one request. */
  readonly piece: number
}

/** Takes what there is now, and answers how far it came. @throws Failure */
export async function exportToFile(client: Client, wish: FileExport): Promise<ExportState> {
  let state = await begin(wish)
  const take = wish.format === 'parquet' ? takeFile : takeBytes
  for (;;) {
    const { format, query, piece: limit } = wish
    const more = { after: state.position ?? undefined, header: state.bytes > 0 ? 0 : undefined }
    const piece = await client.exportPiece({ ...query, ...more, format, limit })
    state = await take(wish, state, piece)
    await writeState(wish.out, state)
    if (!piece.hasNext) return state
  }
}

async function begin({ out, resume, format, query }: FileExport): Promise<ExportState> {
  const given = Object.fromEntries(
    Object.entries(query).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, typeof value === 'object' ? [...value] : value]],
    ),
  )
  const before = await readState(out)
  if (before === null) {
    if (await exists(out))
      throw usageFailure(`${out} is there already. Name another file with --out.`)
    const fresh: ExportState = { format, query: given, position: null, bytes: 0, pieces: 0 }
    await writeState(out, fresh)
    return fresh
  }
  if (!resume)
    throw usageFailure(
      `An export to ${out} has begun. Go on with it with --resume, or delete ${statePath(out)} and what it wrote.`,
    )
  if (before.format !== format || JSON.stringify(before.query) !== JSON.stringify(given))
    throw usageFailure(`The export to ${out} has another format or other filters. Give the same.`)
  return before
}

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  )

/** Appends a piece behind what is good. What lies there from a piece that was not noted is cut off first. */
async function takeBytes(
  { out }: FileExport,
  state: ExportState,
  piece: ExportPiece,
): Promise<ExportState> {
  const file = await open(resolve(out), (await exists(out)) ? 'r+' : 'w')
  try {
    const { size } = await file.stat()
    if (size < state.bytes)
      throw usageFailure(
        `${out} is shorter than ${statePath(out)} says. Delete both to start anew.`,
      )
    await file.truncate(state.bytes)
    let { bytes } = state
    for await (const chunk of piece.chunks()) {
      const { bytesWritten } = await file.write(chunk, 0, chunk.length, bytes)
      bytes += bytesWritten
    }
    await file.sync()
    return { ...state, bytes, position: piece.position ?? state.position }
  } finally {
    await file.close()
  }
}

/** The n-th file of an export in several: `events.parquet` is `events-000001.parquet` and on. */
const pieceName = (out: string, n: number): string =>
  `${out.replace(/\.parquet$/, '')}-${String(n).padStart(6, '0')}.parquet`

/** Each piece is a file, which has its name once it is whole. One without events is none. */
async function takeFile(
  { out }: FileExport,
  state: ExportState,
  piece: ExportPiece,
): Promise<ExportState> {
  const isEmpty = piece.position === null || piece.position === state.position
  if (isEmpty) {
    await piece.drop()
    return state
  }
  const name = pieceName(out, state.pieces + 1)
  const file = await open(resolve(`${name}.part`), 'w')
  try {
    for await (const chunk of piece.chunks()) await file.writeFile(chunk)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(`${name}.part`, name)
  return { ...state, position: piece.position, pieces: state.pieces + 1 }
}
