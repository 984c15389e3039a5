/** A definition of a newer build: known as such, never read in part; one of an older build gets the defaults. */
import { NewerError } from '@signalbox/core'
import { definitionHash } from '@signalbox/engine'
import pg from 'pg'
import { expect, it } from 'vitest'
import { useRegister } from './support/register.ts'

const bench = useRegister()
const stored = {
  name: 'writer',
  model: { provider: 'scripted', model: 'm' },
  instructions: '',
  tools: [],
}

/** Stores it under its hash; answers that. */
async function put(body: object): Promise<string> {
  const hash = definitionHash(body)
  const client = new pg.Client(bench.database.adminUrl)
  await client.connect()
  try {
    await client.query('insert into signalbox.definition (hash, body) values ($1, $2)', [
      hash,
      body,
    ])
  } finally {
    await client.end()
  }
  return hash
}

it('one that lacks what came later has its defaults', async () => {
  const hash = await put(stored)
  expect(await bench.register.definition(hash)).toMatchObject({ limits: { maxTurns: 50 } })
})

it.each([
  ['a key', { thinking: true }],
  ['a key within', { limits: { maxThoughts: 3 } }],
  ['a kind', { guardrails: { policies: [{ use: 'oracle', id: 'o' }] } }],
])('one with %s that this build does not know is newer', async (_, more) => {
  const hash = await put({ ...stored, ...more })
  await expect(bench.register.definition(hash)).rejects.toThrow(NewerError)
})
