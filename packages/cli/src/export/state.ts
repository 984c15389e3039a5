/**
 * How far an export to a file has come, in a file beside it. Written after the events it speaks of are on the disk, and
 * never before: whoever is killed in between leaves events that nobody speaks of, and those are cut off and taken again.
 */
import { open, readFile, rename } from 'node:fs/promises'
import { z } from 'zod'
import { usageFailure } from '../failure.ts'

/** How far an export has come. */
export const ExportState = z.object({
  format: z.enum(['ndjson', 'csv', 'parquet']),
  /** Its filters: to go on with others would leave gaps. */
  query: z.record(z.string(), z.union([z.string(), z.number(), z.array(z.string())])),
  /** Of the last event that is on the disk; null before the first. */
  position: z.string().nullable(),
  /** Bytes of the file that are good. */
  bytes: z.number().int().min(0),
  /** Whole files of an export in several. */
  pieces: z.number().int().min(0),
})
export type ExportState = z.infer<typeof ExportState>

/** Where the state of an export stands. */
export const statePath = (out: string): string => `${out}.resume.json`

/** The state of an export that began before; null if there is none. @throws Failure */
export async function readState(out: string): Promise<ExportState | null> {
  const text = await readFile(statePath(out), 'utf8').catch(() => null)
  if (text === null) return null
  try {
    return ExportState.parse(JSON.parse(text))
  } catch {
    throw usageFailure(`${statePath(out)} says nothing of an export. Name another file with --out.`)
  }
}

/** Replaces the state at once: a reader finds the one before or this one. */
export async function writeState(out: string, state: ExportState): Promise<void> {
  const path = statePath(out)
  const file = await open(`${path}.part`, 'w')
  try {
    await file.writeFile(`${JSON.stringify(state)}\n`)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(`${path}.part`, path)
}
