/**
 * Secrets of skills in whole runs, on Postgres (context-systems §9, §19 skills 4). Would catch: a secret in an event, a blob, a job, a log or a prompt,
 * one that a run has whose skill is not loaded, and a variable of the worker that a bundle asks for by itself.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../postgres/test/support/database.ts'
import { tablesWith } from './support/everything-in.ts'
import { startTest, type TestSignalbox } from './support/signalbox.ts'
import { type SkillFolders, skillFolders } from './support/skill-folders.ts'
import { bash, load, planOf, playing, prompts, read, skillRuns } from './support/skill-runs.ts'

const secret = 'tok-4711-very-secret'
const model = { provider: 'scripted', model: 'playing' } as const

let folders: SkillFolders
let database: TestDatabase
let box: TestSignalbox

beforeAll(async () => {
  folders = await skillFolders()
  await folders.write('erp', { head: ['metadata:', '  secrets: ERP_TOKEN'] })
  await folders.write('plain')
  database = await createTestDatabase()
  box = await startTest(
    {
      agents: {
        seller: {
          model,
          tools: ['bash', 'workspace'],
          skills: {
            from: [`${folders.path}/*`],
            secrets: { ERP_TOKEN: { env: 'SHOP_ERP_TOKEN' } },
          },
        },
      },
      scripts: { playing },
    },
    { env: { DATABASE_URL: database.adminUrl, SHOP_ERP_TOKEN: secret } },
  )
})
afterAll(async () => {
  await box?.stop()
  await database?.drop()
  await folders?.remove()
})

const { send, run, eventsOf, results } = skillRuns(() => box)

describe('§19.4 a secret of a skill', () => {
  it('is in the environment of bash from when the skill is loaded, and in no event, blob, job, log or prompt', async () => {
    const show = 'echo "${#ERP_TOKEN} $ERP_TOKEN"; echo "$ERP_TOKEN" >&2'
    const runId = await run(
      'seller',
      planOf(
        [bash(show)],
        [load('erp'), bash(show)],
        [bash(show)],
        [bash('echo "$ERP_TOKEN" > kept; echo x > other')],
        [bash('ls')],
        [read('skills/erp/SKILL.md')],
      ),
    )
    const [before, loaded, at, after, kept, left] = await results(runId)
    expect(before).toBe('0')
    // A call beside the one that loads the skill was judged before it.
    expect([loaded, at]).toContain('0')
    expect(after).toBe(`${secret.length} [secret]\nstderr:\n[secret]`)
    expect(kept).toBe('No file was kept: kept has a secret in it.')
    expect(left).toBe('skills')
    // By `/name`, from the first call on.
    const named = await run('seller', `/erp ${planOf([bash(show)])}`)
    expect((await results(named))[0]).toContain(`${secret.length} [secret]`)
    // Another run of the same agent has none.
    expect((await results(await run('seller', planOf([bash(show)]))))[0]).toBe('0')

    expect(await tablesWith(database.adminUrl, secret)).toEqual([])
    // Of what it does hold, the search finds it.
    expect(await tablesWith(database.adminUrl, 'ERP_TOKEN')).toContain('signalbox.blob')
    expect(box.logged.join('\n')).not.toContain(secret)
    expect(JSON.stringify(prompts)).not.toContain(secret)
    const told = JSON.stringify([
      await eventsOf(runId),
      (await send('GET', `/runs/${runId}/report`)).body,
    ])
    expect(told).not.toContain(secret)
  })

  it('is named in the definition without its value; clients are not told the variable of the worker', async () => {
    const runId = await run('seller', planOf())
    const [created] = await eventsOf(runId)
    const { body } = await send('GET', `/definitions/${created?.payload.definitionHash}`)
    expect(body.definition.skills).toEqual([
      expect.objectContaining({ name: 'erp', secrets: { ERP_TOKEN: '[redacted]' } }),
      expect.not.objectContaining({ secrets: expect.anything() }),
    ])
    expect(JSON.stringify(body)).not.toContain(secret)
  })
})
