/**
 * Which builds and which schemas go together.
 *
 * S1 A build is as old as the newest migration that it knows, a schema as new as the newest that was applied.
 * S2 Each migration names the oldest build that works with it (`needs_code`). A build meets a newer schema and works with it if it
 *    is at least as new as all of the applied migrations ask for; so a rolling deploy has a way back.
 * S3 The steps of a build begin behind the last schema before them. An older schema has no way to this build but over the build
 *    that made that one.
 */
import type { Migration } from './files.ts'

/** A migration as the database recorded it. */
export interface Applied {
  readonly version: number
  readonly name: string
  readonly checksum: string
  readonly needsCode: number
}

/** How a schema and this build go together. */
export type Standing =
  /** Steps are missing; 0: none is. */
  | { readonly kind: 'older'; readonly missing: readonly Migration[] }
  /** The database has steps that this build does not know, and can do without. */
  | { readonly kind: 'newer'; readonly unknown: readonly string[] }
  /** This build must not touch it. */
  | { readonly kind: 'refused'; readonly why: string }

/**
 * Reads what was applied, in order. Fails with 42P01 where there is no schema. As text: `needs_code` is younger than the table, and
 * was null in rows that are older than it.
 */
export const appliedQuery = `select version, name, checksum,
    coalesce((to_jsonb(m) ->> 'needs_code')::int, version) as "needsCode"
  from signalbox.migration m order by version`

/** The newest version of steps in order; 0 if there is none. */
export const newestVersion = (steps: readonly { readonly version: number }[]): number =>
  steps.at(-1)?.version ?? 0

/** Compares. `applied` is a schema that is there; `known` is what this build brings, in order. */
export function standingOf(applied: readonly Applied[], known: readonly Migration[]): Standing {
  const before = (known[0]?.version ?? 1) - 1
  const version = newestVersion(applied)
  if (version < before)
    return {
      kind: 'refused',
      why:
        `it has the schema of version ${version}, and this build upgrades from version ${before}. Run "signalbox migrate" of a ` +
        `build that knows version ${before}, then that of this build`,
    }
  const done = applied.filter((step) => step.version > before)
  const edited = known.find((step, n) => {
    const recorded = done[n]
    return recorded && (recorded.version !== step.version || recorded.checksum !== step.checksum)
  })
  if (edited)
    return { kind: 'refused', why: `${edited.name} was changed after it had been applied` }
  const unknown = done.slice(known.length)
  if (unknown.length === 0) return { kind: 'older', missing: known.slice(done.length) }
  const own = newestVersion(known)
  const breaking = unknown.findLast((step) => step.needsCode > own)
  if (!breaking) return { kind: 'newer', unknown: unknown.map(({ name }) => name) }
  const needed = Math.max(...unknown.map((step) => step.needsCode))
  return {
    kind: 'refused',
    why:
      `it has ${breaking.name}, which this build does not know and cannot work with: it has migrations up to ${own}, and ` +
      `one with ${needed} is needed. Start that version of Signalbox, or restore the dump that was made before the upgrade`,
  }
}
