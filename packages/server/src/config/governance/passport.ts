/** A passport as an agent pins it: read once, checked, with the digest that its living form has too. */
import { resolve } from 'node:path'
import { ambiguityOf, type JsonObject, JsonObjectSchema, PassportSpec } from '@signalbox/core'
import { readPassport } from '@signalbox/policies'
import { sanitiseObject } from '@signalbox/engine'
import { fail } from '../fail.ts'
import type { PassportProvider } from '../provider-schema.ts'
import { digestOf } from './digest.ts'
import { readAddressText, readFileText } from './read-source.ts'

/** Where a passport came from; null: it stands in the configuration. */
interface Found {
  readonly value: unknown
  readonly source: string | null
  readonly field: string
}

/** @throws ConfigError */
export async function resolvePassport(
  provider: PassportProvider,
  about: { readonly id: string; readonly dir: string; readonly field: string },
): Promise<PassportSpec> {
  const { value, source, field } = await find(provider, about)
  const passport = check(value, field)
  // A passport that is read again is told from another by its id.
  if (source !== null && typeof passport['passport_id'] !== 'string')
    fail('config_invalid', field, 'passport_id: must be there, as the passport is read again')
  return PassportSpec.parse({
    use: 'passport',
    id: about.id,
    digest: digestOf(passport),
    passport,
    capabilities: provider.capabilities,
    source,
    edition: 2,
    undeclaredArguments: provider.undeclaredArguments,
    ...(provider.root === undefined ? {} : { root: provider.root }),
  })
}

async function find(
  { passport, file, url }: PassportProvider,
  { dir, field }: { readonly dir: string; readonly field: string },
): Promise<Found> {
  if (file !== undefined) {
    const at = `${field}.file`
    return { value: parse(await readFileText(resolve(dir, file), at), at), source: file, field: at }
  }
  if (url === undefined) return { value: passport, source: null, field: `${field}.passport` }
  const at = `${field}.url`
  return { value: parse(await readAddressText(url, at), at), source: url, field: at }
}

function parse(text: string, field: string): unknown {
  const value = parseJson(text, field)
  const ambiguity = ambiguityOf(text)
  return ambiguity === null
    ? value
    : fail('config_invalid', field, `the passport can be read in two ways: ${ambiguity}`)
}

function parseJson(text: string, field: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    return fail('config_unreadable', field, { message: 'the passport is not JSON', cause })
  }
}

function check(value: unknown, field: string): JsonObject {
  const parsed = JsonObjectSchema.safeParse(value)
  if (!parsed.success) return fail('config_invalid', field, 'the passport is not a JSON object')
  const passport = sanitiseObject(parsed.data)
  const read = readPassport(passport)
  return read.ok ? passport : fail('config_invalid', field, read.problems.join('; '))
}
