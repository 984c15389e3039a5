/**
 * Skills in a configuration (context-systems §9, §18.26, §19 skills 2). Would catch: a skill that is skipped, one that is refused without its file, a
 * secret that a bundle takes by itself, and a definition that says more than it has to.
 */
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { withLoadSkill } from '@signalbox/engine'
import { createToolHost } from '@signalbox/tools'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  checkSkillSecrets,
  ConfigError,
  loadGovernance,
  loadSkills,
  parseConfig,
  resolveAgents,
  secretNames,
} from '../src/index.ts'
import { toolsNamed } from '../src/config/skills/named-tools.ts'
import { type SkillFolders, skillFolders, type WrittenSkill } from './support/skill-folders.ts'

let folders: SkillFolders
beforeEach(async () => {
  folders = await skillFolders()
})
afterEach(() => folders.remove())

const nothing = (): void => {}
const log = { debug: nothing, info: nothing, warn: nothing, error: nothing }

/** The agent as its runs pin it. */
async function pinned(
  skills: unknown,
  more: object = {},
  tools: readonly string[] = ['workspace'],
) {
  const agent = { model: { provider: 'scripted', model: 'm' }, tools, skills }
  const config = parseConfig({
    agents: { a: agent },
    scripts: { m: () => ({ text: '' }) },
    ...more,
  })
  const at = { config, dir: folders.path }
  const host = createToolHost({ log, snapshots: true, sandbox: {} })
  try {
    const specs = await withLoadSkill(host).specs()
    const governance = await loadGovernance(at)
    const loaded = await loadSkills(at)
    const offer = { specs, validateDetectors: () => null, governance, skills: loaded }
    return { agent: resolveAgents(config, offer).get('a'), loaded, config }
  } finally {
    await host.close()
  }
}

async function refusal(skills: unknown, more: object = {}, tools?: readonly string[]) {
  const error: unknown = await pinned(skills, more, tools).catch((caught: unknown) => caught)
  if (!(error instanceof ConfigError)) throw new Error(`not refused: ${JSON.stringify(error)}`)
  return error
}

const digestOfPdf = async () => {
  const { agent } = await pinned(['./pdf'])
  const [skill] = agent?.skills ?? []
  return skill && 'digest' in skill ? skill.digest : ''
}

const writePdf = (skill: WrittenSkill) => folders.write('pdf', skill)

describe('skills of an agent', () => {
  it('are pinned by name, sorted, with their digest and the tools that they name', async () => {
    await folders.write('pdf', {
      head: ['allowed-tools: Read Bash(ls:*) WebFetch mcp__x__y read_file'],
    })
    await folders.write('csv', { files: { 'a/b.txt': 'x' } })
    const { agent, loaded } = await pinned(['./pdf', './csv'], {}, ['workspace', 'bash'])
    expect(agent?.skills).toEqual([
      { name: 'csv', description: 'Does csv.', digest: expect.any(String), tools: null },
      {
        name: 'pdf',
        description: 'Does pdf.',
        digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
        tools: ['bash', 'read_file'],
      },
    ])
    expect(agent).not.toHaveProperty('skillTools')
    expect(agent?.tools.map(({ name }) => name)).toContain('load_skill')
    const [csv] = agent?.skills ?? []
    const bundle = csv && 'digest' in csv ? loaded.bundles(csv.digest) : null
    expect(bundle?.files.map(({ path }) => path)).toEqual(['SKILL.md', 'a/b.txt'])
  })

  it('have a digest of their files, their names and what may be executed, and of nothing else', async () => {
    await writePdf({ files: { 'a.txt': 'x' } })
    const first = await digestOfPdf()
    await writePdf({ files: { 'a.txt': 'x' } })
    expect(await digestOfPdf()).toBe(first)
    await writePdf({ files: { 'a.txt': 'y' } })
    const second = await digestOfPdf()
    await writePdf({ files: { 'a.txt': 'x', 'b.txt': '' } })
    expect(new Set([first, second, await digestOfPdf()]).size).toBe(3)
  })

  it('are each folder of one, without hidden ones and files', async () => {
    await folders.write('pdf')
    await folders.write('csv')
    await mkdir(join(folders.path, '.git'))
    await writeFile(join(folders.path, 'README.md'), 'x')
    const { agent } = await pinned([`${folders.path}/*`])
    expect(agent?.skills.map(({ name }) => name)).toEqual(['csv', 'pdf'])
  })

  it('are none by default, and then there is no tool to load one', async () => {
    for (const skills of [undefined, []]) {
      const { agent } = await pinned(skills)
      expect(agent?.skills).toEqual([])
      expect(agent?.tools.map(({ name }) => name)).not.toContain('load_skill')
    }
  })

  it('are read once, whoever names them, and may be of one name for two agents', async () => {
    await folders.write('pdf')
    const model = { provider: 'scripted', model: 'm' } as const
    const config = parseConfig({
      agents: { a: { model, skills: ['./pdf'] }, b: { model, skills: ['./*'] } },
      scripts: { m: () => ({ text: '' }) },
    })
    const { agents } = await loadSkills({ config, dir: folders.path })
    expect(agents.get('a')?.[0]?.bundle).toBe(agents.get('b')?.[0]?.bundle)
  })

  it('restrict, where the configuration says so', async () => {
    await folders.write('pdf', { head: ['allowed-tools: Read'] })
    const { agent } = await pinned({ from: ['./pdf'], allowedTools: 'restrict' })
    expect(agent?.skillTools).toBe('restrict')
  })

  it('have secrets of the worker by name', async () => {
    await folders.write('erp', { head: ['metadata: { secrets: "ERP_TOKEN" }'] })
    const skills = { from: ['./erp'], secrets: { ERP_TOKEN: { env: 'SHOP_TOKEN' } } }
    const { agent, config } = await pinned(skills)
    expect(agent?.skills).toMatchObject([{ secrets: { ERP_TOKEN: 'SHOP_TOKEN' } }])
    // Taken out of the worker's own environment, and out of its log.
    expect(secretNames(config)).toContain('SHOP_TOKEN')
    expect(() => checkSkillSecrets(config, { SHOP_TOKEN: 'long enough' })).not.toThrow()
    expect(() => checkSkillSecrets(config, {})).toThrow(
      'agents.a.skills.secrets.ERP_TOKEN.env: the variable SHOP_TOKEN is not set',
    )
    expect(() => checkSkillSecrets(config, { SHOP_TOKEN: 'short' })).toThrow(
      'less than 6 characters',
    )
    const clashing = parseConfig({
      ...(await pinned(skills, { sandbox: { env: { ERP_TOKEN: 'x' } } }, ['bash'])).config,
    })
    expect(() => checkSkillSecrets(clashing, { SHOP_TOKEN: 'long enough' })).toThrow('sandbox.env')
  })
})

describe('§19.2 what cannot be used ends the start, by file and field', () => {
  const first = 'agents.a.skills[0]'

  it.each([
    ['no description', { description: '' }, 'description is empty'],
    [
      'an alias bomb',
      { head: ['metadata:', '  a: &a [x,x]', '  b: [*a,*a]'] },
      'its head has an anchor (&name) in line 5, which is not taken',
    ],
    ['a key too many', { head: ['version: 1'] }, 'version there is no such key'],
  ] satisfies (readonly [string, WrittenSkill, string])[])('%s', async (_, skill, words) => {
    await folders.write('pdf', skill)
    const { code, field, message } = await refusal(['./pdf'])
    expect({ code, field }).toEqual({ code: 'config_skill', field: first })
    expect(message).toBe(`${first}: pdf/SKILL.md: ${message.split('SKILL.md: ')[1]}`)
    expect(message).toContain(words)
  })

  it('a bad one among good ones is not skipped', async () => {
    await folders.write('a')
    await folders.write('z')
    await mkdir(join(folders.path, 'm'))
    expect((await refusal(['./*'])).message).toBe(`${first}: m: there is no SKILL.md in it`)
  })

  it('two of one name, which names both', async () => {
    await folders.write('pdf')
    const other = await skillFolders()
    await other.write('pdf')
    const { field, message } = await refusal(['./pdf', `${other.path}/pdf`])
    await other.remove()
    expect(field).toBe('agents.a.skills[1]')
    expect(message).toContain(
      `${other.path}/pdf/SKILL.md: there is a skill of the name "pdf" already, pdf/SKILL.md; rename either`,
    )
  })

  it('a link in it, and its file', async () => {
    const folder = await folders.write('pdf')
    await symlink('/etc/hostname', join(folder, 'host'))
    expect((await refusal(['./pdf'])).message).toBe(
      `${first}: pdf/host: is no regular file; a skill has no links, pipes or devices`,
    )
  })

  it('a folder that is not there, and one without folders', async () => {
    expect((await refusal(['./pfd'])).message).toBe(`${first}: there is no folder ./pfd`)
    expect((await refusal(['./none/*'])).message).toBe(`${first}: there is no folder ./none`)
    expect((await refusal(['./*'])).message).toBe(`${first}: there is no folder in .`)
  })

  it('names that restrict to nothing, of one that names everything as of one that names others’ tools', async () => {
    for (const named of ['"*"', 'WebFetch', '""']) {
      await folders.write('pdf', { head: [`allowed-tools: ${named}`] })
      const { field, message } = await refusal({ from: ['./pdf'], allowedTools: 'restrict' })
      expect(field).toBe('agents.a.skills.from[0]')
      expect(message).toContain('pdf/SKILL.md: allowed-tools names none of the tools of the agent')
      const { agent } = await pinned(['./pdf'])
      expect(agent?.skills).toMatchObject([{ tools: [] }])
    }
  })

  it('a secret that no variable is named for, and a variable for a secret that nobody wants', async () => {
    await folders.write('erp', { head: ['metadata: { secrets: "ERP_TOKEN" }'] })
    const missing = await refusal(['./erp'])
    expect(missing.field).toBe('agents.a.skills.secrets.ERP_TOKEN')
    expect(missing.message).toContain('is missing: erp/SKILL.md wants it (metadata.secrets)')
    const secrets = { ERP_TOKEN: { env: 'A' }, ERP_TOKNE: { env: 'B' } }
    expect((await refusal({ from: ['./erp'], secrets })).message).toContain(
      'no skill of the agent wants "ERP_TOKNE" (metadata.secrets). Did you mean "ERP_TOKEN"?',
    )
  })

  it('more than 200 of them', async () => {
    for (let n = 0; n < 201; n += 1) await folders.write(`s${n}`)
    expect((await refusal(['./*'])).message).toBe(
      'agents.a.skills: are 201; an agent has at most 200',
    )
  })

  it('its tool without skills', async () => {
    const { code, field } = await refusal([], {}, ['load_skill'])
    expect({ code, field }).toEqual({ code: 'config_unknown_tool', field: 'agents.a.tools[0]' })
  })

  it.each([
    [
      'a name without a path',
      ['pdf'],
      'agents.a.skills[0]',
      'takes the folder of a skill, ./skills/pdf',
    ],
    ['a star within', ['./*/pdf'], 'agents.a.skills[0]', './skills/*'],
    ['objects of before', [{ name: 'pdf', path: './x' }], 'agents.a.skills[0]', 'takes a text'],
    [
      'a key that is misspelt',
      { from: ['./a'], alowedTools: 'restrict' },
      'agents.a.skills.alowedTools',
      'Did you mean "allowedTools"?',
    ],
    [
      'a word that is none',
      { from: ['./a'], allowedTools: 'restrit' },
      'agents.a.skills.allowedTools',
      'restrict',
    ],
    [
      'the secret itself',
      { from: ['./a'], secrets: { T: 'tok-1' } },
      'agents.a.skills.secrets.T',
      'object',
    ],
  ])('%s', (_, skills, field, words) => {
    const agents = { a: { model: { provider: 'scripted', model: 'm' }, skills } }
    const parse = () => parseConfig({ agents, scripts: { m: () => ({ text: '' }) } })
    expect(parse).toThrow(words)
    expect(parse).toThrow(field)
  })
})

it('the names of tools are those of the agent, or of other clients', () => {
  const tools = [
    'bash',
    'read_file',
    'write_file',
    'str_replace',
    'ls',
    'load_skill',
    'mcp__fs__read',
  ]
  expect(
    toolsNamed(['Bash(git:*)', 'bash', 'Read', 'Edit', 'MultiEdit', 'LS', 'Skill'], tools),
  ).toEqual(['bash', 'load_skill', 'ls', 'read_file', 'str_replace'])
  expect(toolsNamed(['mcp__fs__read', 'Write', 'Grep', '*', 'TodoWrite'], tools)).toEqual([
    'mcp__fs__read',
    'write_file',
  ])
  expect(toolsNamed(['constructor', '__proto__'], tools)).toEqual([])
})
