/**
 * Skills in whole runs, over HTTP on Postgres (context-systems §9, §17, §18.26, §19 skills). Would catch: a run that changes with the folder of its
 * skill, a process that needs that folder, a skill that allows something, one that a model loads by what it says, and one that is told twice.
 */
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ConfigInput } from '@signalbox/server'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../postgres/test/support/database.ts'
import { eventually } from './support/http.ts'
import { note as noteTool } from './support/notes.ts'
import { startTest, type TestSignalbox } from './support/signalbox.ts'
import { type SkillFolders, skillFolders } from './support/skill-folders.ts'
import {
  bash,
  load,
  note,
  planOf,
  playing,
  prompts,
  read,
  skillRuns,
  userTexts,
} from './support/skill-runs.ts'

const model = { provider: 'scripted', model: 'playing' } as const

let folders: SkillFolders
let database: TestDatabase
let box: TestSignalbox

const config = (): ConfigInput => ({
  agents: {
    clerk: { model, tools: ['workspace', 'bash', 'note'], skills: [`${folders.path}/*`] },
    asking: {
      model,
      tools: ['workspace', 'bash', 'note'],
      skills: [`${folders.path}/invoices`],
      guardrails: { approvalTools: ['note'] },
    },
    held: {
      model,
      tools: ['workspace', 'bash', 'note'],
      skills: { from: [`${folders.path}/*`], allowedTools: 'restrict' },
      guardrails: { provider: { use: 'allowlist', deniedTools: ['str_replace'] } },
    },
    listed: {
      model,
      tools: ['note'],
      skills: [`${folders.path}/plain`],
      guardrails: { provider: { use: 'allowlist', allowedTools: ['note'] } },
    },
    bare: { model, tools: ['note'] },
    chief: { model, tools: ['agent:clerk'] },
  },
  tools: [noteTool],
  scripts: { playing },
})

const begin = async (): Promise<void> => {
  box = await startTest(config(), { env: { DATABASE_URL: database.adminUrl } })
}

beforeAll(async () => {
  folders = await skillFolders()
  await folders.sample()
  await folders.write('plain')
  await folders.write('notes', { head: ['allowed-tools: note Edit'] })
  database = await createTestDatabase()
  await begin()
})
afterAll(async () => {
  await box?.stop()
  await database?.drop()
  await folders?.remove()
})

const { send, start, run, joined, eventsOf, ofType, results } = skillRuns(() => box)

const loadedIn = async (runId: string) =>
  (await ofType(runId, 'skill.activated')).map(
    ({ verdict, payload }) => `${payload.name} ${verdict}`,
  )

describe('a skill', () => {
  it('is listed, loaded, executed and read, and the log says so', async () => {
    const runId = await run(
      'clerk',
      planOf(
        [load('invoices')],
        [
          bash(
            'printf "3\\n-1\\n4\\n" > amounts.txt; bash skills/invoices/scripts/total.sh amounts.txt',
          ),
        ],
        [read('skills/invoices/references/terms.md')],
        [load('invoices')],
      ),
    )
    const [body, total, terms, again] = await results(runId)
    expect(body).toMatch(
      /^<skill name="invoices">\n# Invoices\n[^]*amounts <= 0 && credits are left out\.\n<\/skill>\n/,
    )
    expect(body).toContain('- skills/invoices/scripts/total.sh (71 bytes)')
    expect(body).not.toContain('description:')
    expect(total).toBe('total 7')
    expect(terms).toBe('Payable within 30 days.\n')
    expect(again).toBe(
      'The skill "invoices" is already loaded. Its instructions stand above; they can be read again in skills/invoices/SKILL.md.',
    )
    const told = await ofType(runId, 'skill.activated')
    expect(told).toEqual([
      expect.objectContaining({
        verdict: 'model',
        tool: null,
        payload: {
          name: 'invoices',
          digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
          by: 'model',
          tools: ['bash', 'read_file'],
          callId: expect.any(String),
        },
      }),
    ])
    const audited = await send('GET', `/events?run_id=${runId}&type=skill.activated&verdict=model`)
    expect(audited.body.events).toHaveLength(1)
    expect(
      (await send('GET', `/runs/${runId}/files`)).body.map(({ path }: { path: string }) => path),
    ).toEqual(['amounts.txt'])
  })

  it('stands in a catalogue before everything that is said, the same in every request', async () => {
    await run('clerk', planOf([load('plain')], [load('notes')]), 'catalogue')
    const mine = prompts.slice(-3)
    const [first = ''] = mine.map((prompt) => userTexts(prompt)[0] ?? '')
    expect(first).toMatch(
      /^<skills>\n[^]*\n- invoices: Adds up[^]*\n- notes: [^]*\n- plain: Does plain\.\n<\/skills>\nplan:/,
    )
    expect(mine.map((prompt) => userTexts(prompt)[0])).toEqual([first, first, first])
    await run('clerk', 'Go on.', 'catalogue')
    expect(userTexts(prompts.at(-1) ?? [])).toEqual([first, 'Go on.'])
    // Clients are shown what was said, and not what we say.
    const { body } = await send('GET', '/threads/catalogue/state')
    expect(JSON.stringify(body.values.messages)).not.toContain('<skills>')
  })

  it('is loaded by whoever reads its SKILL.md; other files cannot be read before', async () => {
    const runId = await run(
      'clerk',
      planOf(
        [read('skills/invoices/references/terms.md')],
        [read('skills/invoices/SKILL.md')],
        [read('skills/invoices/references/terms.md'), load('invoices')],
      ),
    )
    const [refused, whole, ...rest] = await results(runId)
    expect(refused).toContain('The skill "invoices" is not loaded')
    expect(whole).toContain('description: Adds up invoices')
    expect(rest.toSorted()[0]).toContain('Payable within 30 days.')
    expect(rest.toSorted()[1]).toContain('already loaded')
    expect(await loadedIn(runId)).toEqual(['invoices model'])
  })

  it('that there is not is a failure that names those that there are', async () => {
    const runId = await run(
      'clerk',
      planOf([load('invoces')], [['invoices', {}]], [['load_skill', {}]]),
    )
    const [unknown, tool, invalid] = await results(runId)
    expect(unknown).toBe(
      'unknown_skill: There is no skill "invoces". load_skill takes one of: invoices, notes, plain',
    )
    expect(tool).toBe(
      'unknown_tool: There is no tool named "invoices". It is a skill: load it with load_skill.',
    )
    expect(invalid).toContain('name')
    expect(await loadedIn(runId)).toEqual([])
  })

  it('is loaded anew in each run', async () => {
    await run('clerk', planOf([load('plain')]), 'anew')
    const second = await run('clerk', planOf([bash('ls skills')], [load('plain')]), 'anew')
    expect((await results(second))[0]).toBe('(no output)')
    expect((await results(second))[1]).toContain('<skill name="plain">')
    expect(await loadedIn(second)).toEqual(['plain model'])
  })

  it('is allowed where the agent has one, by a list that does not name its tool; no other tool is', async () => {
    const runId = await run('listed', planOf([load('plain')], [note('x')]))
    expect(await loadedIn(runId)).toEqual(['plain model'])
    const none = await run('bare', planOf([load('plain')]))
    expect((await results(none))[0]).toBe('unknown_tool: There is no tool named "load_skill".')
  })

  it('changes nothing for an agent without: definition, prompt and events', async () => {
    const runId = await run('bare', planOf([note('x')]))
    const [{ payload } = { payload: {} }] = await eventsOf(runId)
    const { body } = await send('GET', `/definitions/${payload.definitionHash}`)
    expect(body.definition.skills).toEqual([])
    expect(JSON.stringify(body.definition)).not.toContain('skillTools')
    expect(userTexts(prompts.at(-1) ?? [])).toHaveLength(1)
    for (const event of await eventsOf(runId)) expect(JSON.stringify(event)).not.toContain('skill')
  })

  it('is counted', async () => {
    const metrics = await fetch(`${box.api}/metrics`).then((answer) => answer.text())
    expect(metrics).toMatch(/signalbox_skills_loaded_total\{skill="invoices",by="model"\} [1-9]/)
  })
})

const lastSaid = () => userTexts(prompts.at(-1) ?? []).at(-1) ?? ''

const named = '/plain plan:[]'

/** How many skills were loaded by users so far. */
const activations = async (): Promise<number> =>
  (await send('GET', '/events?type=skill.activated&verdict=user&limit=1000')).body.events.length

describe('/name at the beginning of a message', () => {
  it('loads the skill when the run is created: the model reads it behind the words', async () => {
    const runId = await run('clerk', `/invoices ${planOf([bash('ls skills')])}`)
    const events = await eventsOf(runId)
    const types = events.map(({ type }) => type)
    expect(events[0]?.payload.skills).toMatchObject([{ name: 'invoices' }])
    expect(types.indexOf('skill.activated')).toBeLessThan(types.indexOf('model.completed'))
    expect(await loadedIn(runId)).toEqual(['invoices user'])
    expect(lastSaid()).toMatch(
      /^<skills>\n[^]*\n<\/skills>\n\/invoices plan:.*\n<skill name="invoices">\n# Invoices\n/,
    )
    expect((await results(runId))[0]).toBe('invoices')
  })

  it.each([
    ['AG-UI', 'ag-ui/clerk', { runId: 'r', messages: [{ id: 'm', role: 'user', content: named }] }],
    [
      'A2A',
      'a2a/clerk/message:send',
      { message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: named }] } },
    ],
    [
      'the AI SDK',
      'chat/clerk',
      { messages: [{ id: 'm', role: 'user', parts: [{ type: 'text', text: named }] }] },
    ],
  ])('is read over %s as well', async (_, path, body) => {
    const before = await activations()
    const answer = await fetch(`${box.api}/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ id: crypto.randomUUID(), threadId: crypto.randomUUID(), ...body }),
    })
    await answer.text()
    expect(answer.status).toBe(200)
    expect(await activations()).toBe(before + 1)
  })

  it('is text where it is no skill, where words stand before it, and where a model says it', async () => {
    for (const text of ['/invoce plan:[]', 'Use /invoices plan:[]', '/invoicesplan:[]']) {
      const runId = await run('clerk', text)
      expect((await eventsOf(runId))[0]?.payload).not.toHaveProperty('skills')
      expect(lastSaid()).not.toContain('<skill name=')
    }
    // The prompt of a run that a run starts is the text of a model.
    const chief = await run('chief', planOf([['agent__clerk', { prompt: '/invoices plan:[]' }]]))
    const [child] = await ofType(chief, 'child.started')
    const created = (await eventsOf(String(child?.payload.childRunId)))[0]
    expect(created?.payload.input[0].parts[0].text).toContain('/invoices')
    expect(created?.payload).not.toHaveProperty('skills')
  })

  it('is read again by a retry, which has the agent as it is, and by a rerun', async () => {
    const runId = await run('clerk', `/plain ${planOf([load('invoices')])}`)
    const retried = await send('POST', `/runs/${runId}/retry`)
    await joined(String(retried.body.run_id))
    expect(await loadedIn(String(retried.body.run_id))).toEqual(['plain user', 'invoices model'])
    const { thread_id: thread } = (await send('GET', `/runs/${runId}`)).body
    const rerun = await send('POST', `/threads/${thread}/runs/${runId}/rerun`, {})
    await joined(String(rerun.body.run_id))
    expect(await loadedIn(String(rerun.body.run_id))).toEqual(['plain user', 'invoices model'])
    const [loaded] = await ofType(String(rerun.body.run_id), 'tool.completed')
    expect(loaded?.payload).toHaveProperty('recalled')
  })
})

const denials = async (runId: string) =>
  (await ofType(runId, 'call.denied')).map(({ tool, payload }) => `${tool} ${payload.code}`)

describe('§19.3 allowedTools: restrict', () => {
  it('before, at and after a skill is loaded', async () => {
    const runId = await run(
      'held',
      planOf(
        [note('before')],
        [load('invoices'), note('at')],
        [note('after'), bash('echo after')],
        [load('notes')],
        [note('again')],
      ),
    )
    expect(await denials(runId)).toEqual(['note skill.tool_not_allowed'])
    expect((await results(runId)).join('\n')).toContain('after')
    const [denied] = await ofType(runId, 'call.denied')
    expect(denied?.payload.message).toBe(
      'The skills that are loaded (invoices) do not name the tool note. They name: bash, read_file.',
    )
  })

  it('never widens what a list denies', async () => {
    const edit = { path: 'a', oldText: 'x', newText: 'y' }
    const runId = await run('held', `/notes ${planOf([['str_replace', edit]], [note('x')])}`)
    expect(await denials(runId)).toEqual(['str_replace oap.tool_not_allowed'])
    const [loaded] = await ofType(runId, 'skill.activated')
    expect(loaded?.payload.tools).toEqual(['note', 'str_replace'])
  })
})

const digestOf = async (runId: string) =>
  (await ofType(runId, 'skill.activated'))[0]?.payload.digest

describe('§19.1 a bundle that is edited on the disk', () => {
  it('changes no run that there is, in no process; new runs have it, with another digest', async () => {
    const plan = planOf(
      [note('wait')],
      [load('invoices')],
      [read('skills/invoices/references/terms.md')],
      [bash('echo 5 > n; bash skills/invoices/scripts/total.sh n')],
    )
    const waiting = await start('asking', `/invoices ${plan}`)
    const other = await start('asking', plan)
    for (const runId of [waiting, other])
      await eventually(async () => (await ofType(runId, 'approval.requested')).length > 0)
    const folder = join(folders.path, 'invoices')
    await writeFile(join(folder, 'references/terms.md'), 'Payable at once.\n')
    await writeFile(
      join(folder, 'SKILL.md'),
      '---\nname: invoices\ndescription: Other.\n---\nOther.\n',
    )
    await rm(join(folder, 'scripts'), { recursive: true })
    // A process that has read the folder goes on as it was.
    const same = await run('clerk', planOf([load('invoices')]))
    expect((await results(same))[0]).toContain('# Invoices')
    await box.stop()
    await begin()
    const fresh = await run('clerk', planOf([load('invoices')]))
    expect((await results(fresh))[0]).toContain('\nOther.\n')
    for (const runId of [waiting, other]) {
      const [{ payload } = { payload: {} }] = await ofType(runId, 'approval.requested')
      await send('POST', `/runs/${runId}/approvals/${payload.callId}`, { decision: 'approve' })
      await joined(runId)
      const [, body, terms, total] = await results(runId)
      expect(body).toMatch(runId === waiting ? /already loaded/ : /# Invoices/)
      expect(terms).toBe('Payable within 30 days.\n')
      expect(total).toBe('total 5')
    }
    expect(await digestOf(waiting)).toBe(await digestOf(same))
    expect(await digestOf(other)).toBe(await digestOf(same))
    expect(await digestOf(fresh)).not.toBe(await digestOf(same))
  })
})
