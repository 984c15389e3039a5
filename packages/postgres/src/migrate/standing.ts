/**
 * Which builds and which schemas go together.
 *
 * S1 A build is as old as the newest migration that it knows, a schema as new as the newest that was applied.
 * S2 Each migration names the oldest build that works with it (`needs_code`). A build meets a newer schema and works with it if it
 *    is at least as new as all of the applied migrations ask for; so a rolling deploy has a way back.
 */
import type { Migration } from './files.ts'

/** A migration as the database recorded it. */
export interface Applied {
  readonly version: number
  readonly name: string
  readonly checksum: string
  /** Null: recorded before migrations said so. */
  readonly needsCode: number | null
}

/** How a schema and this build go together. */
export type Standing =
  /** Steps are missing; 0: none is. */
  | { readonly kind: 'older'; readonly missing: readonly Migration[] }
  /** The database has steps that this build does not know, and can do without. */
  | { readonly kind: 'newer'; readonly unknown: readonly string[] }
  /** This build must not touch it. */
  | { readonly kind: 'refused'; readonly why: string }

/** Reads what was applied, in order. Fails with 42P01 where there is no schema. As text: the column is younger than the table. */
export const appliedQuery = `select version, name, checksum, (to_jsonb(m) ->> 'needs_code')::int as "needsCode"
  from signalbox.migration m order by version`

/** Compares. `known` is what this build brings, in order. */
export function standingOf(applied: readonly Applied[], known: readonly Migration[]): Standing {
  const edited = known.find((step, n) => {
    const done = applied[n]
    return done && (done.version !== step.version || done.checksum !== step.checksum)
  })
  if (edited)
    return { kind: 'refused', why: `${edited.name} was changed after it had been applied` }
  const unknown = applied.slice(known.length)
  if (unknown.length === 0) return { kind: 'older', missing: known.slice(applied.length) }
  const breaking = unknown.findLast((step) => (step.needsCode ?? step.version) > known.length)
  if (!breaking) return { kind: 'newer', unknown: unknown.map(({ name }) => name) }
  const needed = Math.max(...unknown.map((step) => step.needsCode ?? step.version))
  return {
    kind: 'refused',
    why:
      `it has ${breaking.name}, which this build does not know and cannot work with: it has migrations up to ${known.length}, and ` +
      `one with ${needed} is needed. Start that version of Signalbox, or restore the dump that was made before the upgrade`,
  }
}
