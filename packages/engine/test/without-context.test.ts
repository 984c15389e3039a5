/**
 * An agent without a `context` costs what it did before there was one (C3, "costs nothing when off"): the same appends, events, rows, reads, requests and
 * state. `recorded/without-context.json` was made by the build before, with `node packages/engine/test/support/print-footprints.ts`.
 * Would catch: a field that every event has from now on, a read more per turn, a decision that no longer travels with its fact.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { footprints } from './support/footprint.ts'

const recorded: unknown = JSON.parse(
  readFileSync(join(import.meta.dirname, 'recorded/without-context.json'), 'utf8'),
)

test('commits, events, rows, reads and requests are those of the build before', async () => {
  expect(await footprints()).toEqual(recorded)
})
