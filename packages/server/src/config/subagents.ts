/**
 * The runs that an agent may start, as its definition says them: the limits, the files, and the tools by which its model starts them. An agent
 * that says nothing of it has a tool for each agent, as before.
 */
import type { AgentDefinition, ToolSpec } from '@signalbox/core'
import type { AgentConfig } from './agent-schema.ts'
import { fail } from './fail.ts'
import { digestOf } from './governance/digest.ts'
import type { Config } from './schema.ts'

/** The one tool for all agents that an agent may start runs of, where it wants that. */
const taskToolName = 'task'

type Subagents = NonNullable<AgentDefinition['subagents']>

/**
 * The field of the definition. Where nobody says otherwise a run begins with the files of the one that starts it, unless these stand in a
 * directory, which nothing records.
 *
 * @throws ConfigError for an agent that starts no runs, and for files that cannot be shared
 */
export function subagentsOf(
  field: string,
  { subagents, tools }: Pick<AgentConfig, 'subagents' | 'tools'>,
  { workspace }: Pick<Config, 'workspace'>,
): { readonly subagents?: Subagents } {
  if (!subagents) return {}
  const at = `${field}.subagents`
  if (!tools.some((selector) => selector.startsWith('agent:')))
    fail(
      'config_invalid',
      at,
      'is about runs that the agent starts, and it starts none; name the agents among its tools: "agent:<name>"',
    )
  const { perTurn, perRun, files } = subagents
  if (perTurn > perRun)
    fail('config_invalid', `${at}.perTurn`, `takes at most perRun, which is ${perRun}`)
  if (workspace && files !== undefined && files !== 'none')
    fail(
      'config_invalid',
      `${at}.files`,
      'takes "none" beside workspace.root: what stands in a directory is recorded nowhere, so no run can begin with it; leave workspace.root out, or this',
    )
  return { subagents: { ...subagents, files: files ?? (workspace ? 'none' : 'read') } }
}

/**
 * The tools by which the agent starts runs, made of those of the agents that it names.
 *
 * @throws ConfigError where another tool has the name of the one for all
 */
export function startTools(
  field: string,
  named: readonly ToolSpec[],
  offer: {
    readonly config: Config
    readonly specs: readonly ToolSpec[]
    readonly subagents: Subagents | undefined
  },
): readonly ToolSpec[] {
  const { config, specs, subagents } = offer
  if (!subagents) return named
  if (subagents.tool === undefined) return named.map((spec) => told(spec, subagents))
  if (specs.some(({ name }) => name === taskToolName))
    fail(
      'config_invalid',
      `${field}.subagents.tool`,
      `there is a tool of the name "${taskToolName}" already; rename that, or leave this out`,
    )
  return [taskTool(named, { config, subagents })]
}

const told = (spec: ToolSpec, subagents: Subagents): ToolSpec =>
  versioned({ ...spec, description: `${spec.description} ${filesWords(subagents)}` })

function filesWords({ files }: Subagents): string {
  switch (files) {
    case 'none':
      return 'It finds none of the files that are here.'
    case 'read':
      return 'It begins with the files that are here; what it changes in them stays with it.'
    case 'merge':
      return 'It begins with the files that are here, and its changes of them are made here when it ends.'
  }
}

function taskTool(
  named: readonly ToolSpec[],
  { config, subagents }: { readonly config: Config; readonly subagents: Subagents },
): ToolSpec {
  const runs = named.flatMap((spec) => (typeof spec.runs === 'string' ? [spec.runs] : []))
  const { perTurn, perRun } = subagents
  const catalogue = runs.map((name) => {
    const description = config.agents[name]?.description ?? 'Works on what it is asked.'
    return `- ${name}: ${description.replaceAll(/\s+/g, ' ')}`
  })
  return versioned({
    name: taskToolName,
    version: '',
    description: [
      'Hands a task to another agent, which works on it on its own, and answers with its last words. It knows nothing of this conversation but the prompt.',
      filesWords(subagents),
      `Calls of one turn work side by side: at most ${perTurn} in a turn, and ${perRun} in all.`,
      'Agents:',
      ...catalogue,
    ].join('\n'),
    inputSchema: {
      type: 'object',
      properties: {
        description: { type: 'string', description: 'The task in three to five words.' },
        prompt: {
          type: 'string',
          description: 'What the agent is to do, with all that it must know.',
        },
        agent: { type: 'string', description: `One of ${runs.join(', ')}.` },
      },
      required: ['description', 'prompt', 'agent'],
      additionalProperties: false,
    },
    // A call starts one run, however often it is tried.
    effect: 'idempotent',
    runs,
    queue: 'tools',
    timeoutMs: Math.max(...named.map(({ timeoutMs }) => timeoutMs)),
  })
}

const versioned = ({ version: _, ...promise }: ToolSpec): ToolSpec => ({
  ...promise,
  version: digestOf(promise).slice('sha256:'.length, 'sha256:'.length + 16),
})
