/**
 * `agent:<name>` among the tools of an agent: what it promises, what sees it, and every mistake refused at start, with the
 * field and what would be right. Would catch: two agents behind one tool, a list that names an agent and guards nothing.
 */
import { tmpdir } from 'node:os'
import { type AgentDefinition, ToolSpec } from '@signalbox/core'
import { parseConfig } from '@signalbox/server'
import { defineTool } from '@signalbox/tools'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { Closers } from '../src/compose/closers.ts'
import { openAgents } from '../src/compose/open-agents.ts'
import { configErrorOf } from './support/mistakes.ts'

const log = { debug() {}, info() {}, warn() {}, error() {} }
const model = { provider: 'scripted', model: 'm' }
const toolNamed = (name: string) =>
  defineTool({ name, description: 'Looks.', effect: 'read', input: z.object({}), run: () => '' })

/** The agents as a process pins them; `tools` are those of `writer`. */
async function agentsOf(
  tools: readonly string[],
  more: {
    readonly agents?: Readonly<Record<string, object>>
    readonly writer?: object
    readonly own?: readonly string[]
    readonly rest?: object
  } = {},
): Promise<ReadonlyMap<string, AgentDefinition>> {
  const closers = new Closers(log)
  const config = parseConfig({
    agents: {
      writer: { model, tools, ...more.writer },
      researcher: { model, limits: { timeoutMs: 90_000 } },
      ...more.agents,
    },
    tools: (more.own ?? ['look']).map(toolNamed),
    scripts: { m: () => ({}) },
    ...more.rest,
  })
  try {
    const loaded = { config, dir: tmpdir(), file: '' }
    return (await openAgents(loaded, { env: {}, log }, closers)).agents
  } finally {
    await closers.close()
  }
}

/** The tools of the writer, by name. */
const toolsOf = async (...asked: Parameters<typeof agentsOf>) =>
  new Map((await agentsOf(...asked)).get('writer')?.tools.map((tool) => [tool.name, tool]))

describe('an agent as a tool', () => {
  it('is a tool whose calls are runs of the agent, beside the other tools', async () => {
    const tools = await toolsOf(['look', 'agent:researcher'])
    expect([...tools.keys()]).toEqual(['agent__researcher', 'look', 'read_result'])
    const tool = ToolSpec.parse(tools.get('agent__researcher'))
    expect(tool).toMatchObject({
      runs: 'researcher',
      effect: 'idempotent',
      queue: 'tools',
      timeoutMs: 90_000,
      inputSchema: {
        type: 'object',
        properties: { prompt: { type: 'string' } },
        required: ['prompt'],
      },
    })
    expect(tool.description).toContain('researcher')
    expect(tool.version).toMatch(/^[0-9a-f]{16}$/)
  })

  it('lets its agent read on in long answers, as other tools do', async () => {
    expect([...(await toolsOf(['agent:researcher'])).keys()]).toEqual([
      'agent__researcher',
      'read_result',
    ])
  })

  it('promises what the agent says of itself, and has another version then', async () => {
    const said = { agents: { researcher: { model, description: 'Reads timetables.' } } }
    const own = (await toolsOf(['agent:researcher'], said)).get('agent__researcher')
    const standard = (await toolsOf(['agent:researcher'])).get('agent__researcher')
    expect(own?.description).toBe('Reads timetables.')
    expect(own?.version).not.toBe(standard?.version)
  })

  it.each([
    ['port.office', 'agent__port_office'],
    ['a'.repeat(64), `agent__${'a'.repeat(57)}`],
  ])('of the agent %s has a name that providers take', async (name, tool) => {
    const tools = await toolsOf([`agent:${name}`], { agents: { [name]: { model } } })
    expect(ToolSpec.parse(tools.get(tool)).runs).toBe(name)
  })

  it('may be the agent itself', async () => {
    expect((await toolsOf(['agent:writer'])).get('agent__writer')?.runs).toBe('writer')
  })

  it('can be denied and approved by name', async () => {
    const provider = { use: 'allowlist', deniedTools: ['agent__researcher'] }
    const writer = { guardrails: { provider, approvalTools: ['agent__researcher'] } }
    const agents = await agentsOf(['agent:researcher'], { writer })
    expect(agents.get('writer')?.guardrails).toMatchObject({
      approvalTools: ['agent__researcher'],
      policies: [{ use: 'allowlist', deniedTools: ['agent__researcher'] }],
    })
  })
})

describe('the runs that an agent may start', () => {
  const definitionOf = async (...asked: Parameters<typeof agentsOf>) =>
    (await agentsOf(...asked)).get('writer')

  it('are limited, and begin with its files, where it says so', async () => {
    const agent = await definitionOf(['agent:researcher'], { writer: { subagents: {} } })
    expect(agent?.subagents).toEqual({ perTurn: 3, perRun: 6, files: 'read' })
    const [tool] = agent?.tools ?? []
    expect(tool).toMatchObject({ name: 'agent__researcher', runs: 'researcher' })
    expect(tool?.description).toMatch(
      /the prompt\. It begins with the files that are here; what it changes in them stays with it\.$/,
    )
  })

  it('begin with none where files stand in a directory', async () => {
    const rest = { workspace: { root: tmpdir() } }
    const agent = await definitionOf(['agent:researcher'], { writer: { subagents: {} }, rest })
    expect(agent?.subagents?.files).toBe('none')
  })

  it('of an agent that says nothing are what they were, to the byte', async () => {
    const agent = await definitionOf(['agent:researcher'])
    expect(agent).not.toHaveProperty('subagents')
    expect(agent?.tools[0]?.description).toMatch(
      /It knows nothing of this conversation but the prompt\.$/,
    )
  })

  it('have one tool, with all agents that it names, and none for each', async () => {
    const subagents = { tool: 'task', files: 'merge', perTurn: 2, perRun: 4 }
    const agents = {
      clerk: { model, description: 'Pays what\n is due.', limits: { timeoutMs: 9 } },
    }
    const agent = await definitionOf(['agent:researcher', 'agent:clerk', 'look'], {
      writer: { subagents },
      agents,
    })
    expect(agent?.tools.map(({ name }) => name)).toEqual(['look', 'read_result', 'task'])
    const task = ToolSpec.parse(agent?.tools.find(({ name }) => name === 'task'))
    expect(task).toMatchObject({
      runs: ['researcher', 'clerk'],
      effect: 'idempotent',
      timeoutMs: 90_000,
      inputSchema: { required: ['description', 'prompt', 'agent'], additionalProperties: false },
    })
    expect(task.description.split('\n')).toEqual([
      'Hands a task to another agent, which works on it on its own, and answers with its last words. It knows nothing of this conversation but the prompt.',
      'It begins with the files that are here, and its changes of them are made here when it ends.',
      'Calls of one turn work side by side: at most 2 in a turn, and 4 in all.',
      'Agents:',
      '- researcher: Works on what it is asked.',
      '- clerk: Pays what is due.',
    ])
  })

  it.each<[string, object, string, string]>([
    ['16 in a turn', { perTurn: 17, perRun: 64 }, 'perTurn', '16'],
    ['64 in all', { perRun: 65 }, 'perRun', '64'],
    ['more in a turn than in all', { perTurn: 7 }, 'perTurn', 'takes at most perRun, which is 6'],
    ['other files', { files: 'all' }, 'files', 'merge'],
    ['another tool', { tool: 'agent' }, 'tool', 'task'],
    ['a misspelt key', { perturn: 1 }, 'perturn', 'Did you mean "perTurn"?'],
  ])('are refused with %s', async (_, subagents, key, says) => {
    const error = await configErrorOf(() =>
      agentsOf(['agent:researcher'], { writer: { subagents } }),
    )
    expect(error).toMatchObject({
      code: expect.any(String),
      field: `agents.writer.subagents.${key}`,
    })
    expect(error.message).toContain(says)
  })

  it('are refused of an agent that starts none', async () => {
    const error = await configErrorOf(() => agentsOf(['look'], { writer: { subagents: {} } }))
    expect(error).toMatchObject({ code: 'config_invalid', field: 'agents.writer.subagents' })
    expect(error.message).toContain('"agent:<name>"')
  })

  it.each(['read', 'merge'])('are refused with the files of a directory: %s', async (files) => {
    const rest = { workspace: { root: tmpdir() } }
    const error = await configErrorOf(() =>
      agentsOf(['agent:researcher'], { writer: { subagents: { files } }, rest }),
    )
    expect(error).toMatchObject({ field: 'agents.writer.subagents.files' })
    expect(error.message).toContain('takes "none" beside workspace.root')
  })

  it('are refused where a tool has the name of the one for all', async () => {
    const writer = { subagents: { tool: 'task' } }
    const error = await configErrorOf(() =>
      agentsOf(['agent:researcher'], { writer, own: ['task'] }),
    )
    expect(error).toMatchObject({ field: 'agents.writer.subagents.tool' })
  })

  it('are refused with a list that names a tool of an agent which is none any more', async () => {
    const writer = {
      subagents: { tool: 'task' },
      guardrails: { approvalTools: ['agent__researcher'] },
    }
    const error = await configErrorOf(() => agentsOf(['agent:researcher'], { writer }))
    expect(error).toMatchObject({ code: 'config_unknown_tool' })
    const lists = { ...writer, guardrails: { approvalTools: ['task'] } }
    expect((await definitionOf(['agent:researcher'], { writer: lists }))?.tools).toHaveLength(2)
  })
})

describe('a configuration is refused', () => {
  it.each([
    ['agent:reseracher', 'Did you mean "researcher"?'],
    ['agent:', 'Known: writer, researcher.'],
    ['agent:constructor', 'Known: writer, researcher.'],
  ])('with the tool %s, which is no agent', async (selector, hint) => {
    const error = await configErrorOf(() => agentsOf(['look', selector]))
    expect(error).toMatchObject({ code: 'config_unknown_agent', field: 'agents.writer.tools[1]' })
    expect(error.message).toContain(hint)
  })

  it('with two agents behind one name', async () => {
    const agents = { 'port.office': { model }, port_office: { model } }
    const error = await configErrorOf(() => agentsOf(['agent:port_office'], { agents }))
    expect(error).toMatchObject({ code: 'config_invalid', field: 'agents.writer.tools[0]' })
    for (const word of ['"port.office"', '"port_office"', '"agent__port_office"'])
      expect(error.message).toContain(word)
  })

  it('with a tool of the same name', async () => {
    const own = ['agent__researcher']
    const error = await configErrorOf(() => agentsOf(['agent:researcher'], { own }))
    expect(error).toMatchObject({ code: 'config_invalid', field: 'agents.writer.tools[0]' })
  })

  it('with a list that names an agent which nobody may start', async () => {
    const writer = { guardrails: { approvalTools: ['agent__researcher'] } }
    const error = await configErrorOf(() => agentsOf(['look'], { writer }))
    expect(error).toMatchObject({
      code: 'config_unknown_tool',
      field: 'agents.writer.guardrails.approvalTools[0]',
    })
  })

  it('with a description that is empty or too long', async () => {
    for (const description of [' ', 'x'.repeat(1001)]) {
      const error = await configErrorOf(() => agentsOf(['look'], { writer: { description } }))
      expect(error).toMatchObject({ code: 'config_invalid', field: 'agents.writer.description' })
    }
  })
})
