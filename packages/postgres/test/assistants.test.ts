/**
 * Assistants in the database. Would catch: two versions of one number, a version that changes, a tenant who reaches
 * another's.
 */
import { limits } from '@signalbox/core'
import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { readRegister } from '../src/migrate/files.ts'
import type { AssistantPut } from '../src/resources/assistants.ts'
import { createResources, type Resources } from '../src/resources/resources.ts'
import { createTestDatabase, type TestDatabase } from './support/database.ts'

let database: TestDatabase
let resources: Resources
let app: pg.Client

beforeAll(async () => {
  database = await createTestDatabase()
  resources = createResources({ appUrl: database.appUrl })
  app = new pg.Client(database.appUrl)
  await app.connect()
})
afterAll(async () => {
  await app?.end()
  await resources?.close()
  await database?.drop()
})

const content = (over: Partial<AssistantPut> = {}): AssistantPut => ({
  tenantId: 'one',
  assistantId: crypto.randomUUID(),
  agent: 'clerk',
  name: 'n',
  description: null,
  metadata: {},
  config: {},
  context: {},
  actor: 'api',
  ...over,
})

it('of many who change one version, one makes the next', async () => {
  const first = content()
  const { assistants } = resources
  expect(await assistants.create(first)).toBe('ok')
  expect(await assistants.create(first)).toBe('exists')
  const names = ['a', 'b', 'c', 'd']
  const codes = await Promise.all(names.map((name) => assistants.change({ ...first, name }, 1)))
  expect(codes.toSorted()).toEqual(['moved', 'moved', 'moved', 'ok'])
  const { assistantId } = first
  const versions = await assistants.versions('one', assistantId, {})
  expect(versions.map((each) => each.version)).toEqual([2, 1])
  expect(versions[1]).toMatchObject({ name: 'n' })
  expect(await assistants.choose('one', assistantId, { version: 3, actor: 'key:a' })).toBe(false)
  expect(await assistants.choose('one', assistantId, { version: 0, actor: 'key:a' })).toBe(false)
  expect(await assistants.choose('one', assistantId, { version: 1, actor: 'key:a' })).toBe(true)
  expect(await assistants.assistant('one', assistantId)).toMatchObject({ version: 1, versions: 2 })
  expect(await assistants.change(first, 2)).toBe('ok')
  expect(await assistants.assistant('one', assistantId)).toMatchObject({ version: 3 })
  expect(await assistants.change(first, limits.assistantVersionsMax)).toBe('full')
})

it('tenants have their own, under the same id, and reach no other', async () => {
  const { assistants } = resources
  const theirs = content({ tenantId: 'two' })
  const { assistantId } = theirs
  await assistants.create(theirs)
  expect(await assistants.assistant('one', assistantId)).toBeNull()
  expect((await assistants.all('one')).map((each) => each.assistantId)).not.toContain(assistantId)
  expect(await assistants.versions('one', assistantId, {})).toEqual([])
  expect(await assistants.choose('one', assistantId, { version: 1, actor: 'key:a' })).toBe(false)
  expect(await assistants.change(content({ assistantId }), 1)).toBe('moved')
  expect(await assistants.delete('one', assistantId, 'key:a')).toBe(false)
  expect(await assistants.create(content({ assistantId, name: 'mine' }))).toBe('ok')
  expect(await assistants.delete('one', assistantId, 'key:a')).toBe(true)
  expect(await assistants.assistant('two', assistantId)).toMatchObject({ name: 'n' })
  await app.query("select set_config('signalbox.tenant', 'one', false)")
  for (const statement of [
    `select signalbox.put_assistant('${JSON.stringify(theirs)}', null)`,
    `select signalbox.choose_version('two', '${assistantId}', 1)`,
    `select signalbox.delete_assistant('two', '${assistantId}')`,
    'delete from signalbox.assistant',
    "update signalbox.assistant_version set name = 'x'",
  ])
    await expect(app.query(statement), statement).rejects.toMatchObject({ code: '42501' })
})

it('has the limits of the core written into its functions', async () => {
  const { sql } = await readRegister()
  expect(sql).toContain(`where tenant_id = tenant) >= ${limits.assistantsMax} `)
  expect(sql).toContain(`seen >= ${limits.assistantVersionsMax} `)
})
