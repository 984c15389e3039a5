/**
 * The tools of one process behind the engine's `ToolHost` port: defined tools, the file tools, MCP servers.
 *
 * H1 `call` answers an outcome for whatever happens, and never later than timeout plus grace. Its waits for files in the register are
 *    beside that time: an outage is no fault of a tool, and ends with the outage or with a cancel.
 * H2 A tool is run in the version that was asked for, or not at all.
 */
import { tmpdir } from 'node:os'
import { limits, type ToolSpec } from '@signalbox/core'
import type { Clock, Log, ToolHost, ToolOutcome, ToolRequest } from '@signalbox/engine'
import { z } from 'zod'
import { systemClock } from './clock.ts'
import type { DefinedTool } from './define-tool.ts'
import { type Environment, expandConfig, McpServerConfig } from './mcp/config.ts'
import { McpServer } from './mcp/server.ts'
import { filesBeside, OwnTime, skillsBeside } from './own-time.ts'
import { describeError, failed, perform } from './perform.ts'
import type { Execution, Runnable, ToolContext } from './runnable.ts'
import { commandTool, bashToolName } from './sandbox/bash-tool.ts'
import { SandboxConfig } from './sandbox/config.ts'
import { openSandboxes } from './sandbox/open-sandboxes.ts'
import { SkillDirectories } from './skills/skill-directories.ts'
import { SkillLoans } from './sandbox/skill-loans.ts'
import type { Sandboxes } from './sandbox/sandbox.ts'
import { wholeWords } from './text.ts'
import { DirectoryWorkspaces } from './workspace/directory-workspaces.ts'
import { SnapshotWorkspaces } from './workspace/snapshot-workspaces.ts'
import { type OpenSkills, openSkills } from './skills/open-skills.ts'
import { readFileToolName, workspaceToolNames, workspaceTools } from './workspace/tools.ts'
import { viewImage, viewImageTool } from './workspace/view-image.ts'
import {
  absentFiles,
  absentWorkspace,
  type OpenWorkspace,
  type Workspaces,
} from './workspace/workspace.ts'

/** What a host is made of. Times are milliseconds. */
export interface ToolHostOptions {
  readonly log: Log
  readonly tools?: readonly DefinedTool[]
  /** As in the configuration file. Starting begins at once, in the background. */
  readonly mcpServers?: Readonly<Record<string, z.input<typeof McpServerConfig>>>
  /** Where `${NAME}` of MCP servers is looked up. Default: the variables of the process. */
  readonly env?: Environment
  /** Directory of all workspaces, for files that stay on this machine. */
  readonly workspaceRoot?: string
  /** Without a root: workspaces are kept in the register. With neither there are no file tools. */
  readonly snapshots?: boolean
  /** Where commands of the tool `bash` are executed. Without it there is no such tool. */
  readonly sandbox?: z.input<typeof SandboxConfig>
  /** Commands that are executed at the same time. */
  readonly commandsMax?: number
  readonly clock?: Clock
  /** What a tool gets to come back after a cancel or its timeout. */
  readonly abortGraceMs?: number
  /** What an MCP server gets to start and list its tools. */
  readonly startTimeoutMs?: number
}

/** Makes the tool host of a process. Throws for names that collide and configurations that make no sense. */
export function createToolHost(options: ToolHostOptions): ToolHost {
  return new Host(options)
}

class Host implements ToolHost {
  readonly #local: ReadonlyMap<string, Runnable>
  readonly #servers: readonly McpServer[]
  readonly #workspaces: Workspaces | null
  readonly #clock: Clock
  readonly #graceMs: number
  readonly #log: Log
  readonly #sandboxes: Sandboxes | null
  readonly #skillDirectories: SkillDirectories | null

  constructor(options: ToolHostOptions) {
    const bash = commandsOf(options)
    this.#sandboxes = bash?.sandboxes ?? null
    this.#skillDirectories = bash?.directories ?? null
    this.#clock = options.clock ?? systemClock
    this.#graceMs = options.abortGraceMs ?? 5000
    this.#log = options.log
    this.#workspaces = workspacesOf(options)
    this.#local = localTools(options.tools ?? [], [
      ...fileTools(options),
      ...(bash ? [bash.tool] : []),
    ])
    this.#servers = startServers(options, this.#clock)
  }

  async specs(): Promise<readonly ToolSpec[]> {
    await Promise.all(this.#servers.map((server) => server.tried))
    const remote = this.#servers.flatMap((server) => server.tools())
    const specs = [...this.#local.values(), ...remote].map((tool) => tool.spec)
    return specs.sort((a, b) => (a.name < b.name ? -1 : 1))
  }

  async knows(name: string, version: string): Promise<boolean> {
    const tool = await this.#find(name)
    return tool !== null && 'spec' in tool && tool.spec.version === version
  }

  async call(request: ToolRequest, signal: AbortSignal): Promise<ToolOutcome> {
    const found: { tool: Runnable | null } = { tool: null }
    const time = new OwnTime(this.#clock)
    const given = request.files && { files: filesBeside(time, request.files) }
    const files = this.#workspaces?.open({ ...request, ...given }) ?? noFiles
    const skills = openSkills(request.skills && skillsBeside(time, request.skills))
    let over = false
    const progress = (note: string): void => {
      if (!over) this.#progress(request, note)
    }
    const run = async (inner: AbortSignal): Promise<Execution> => {
      const tool = await this.#find(request.name)
      if (tool === null) {
        return { ok: false, code: 'unknown_tool', message: `There is no tool "${request.name}".` }
      }
      if (!('spec' in tool)) return tool
      if (tool.spec.version !== request.version) return wrongVersion(request.name)
      inner.throwIfAborted()
      found.tool = tool
      return tool.execute(
        request.args,
        this.#context(request, inner, { progress, workspace: skills.over(files.workspace) }),
        { files: skills.beside(files.files), skills },
      )
    }
    try {
      const outcome = await perform({
        tool: request.name,
        timeoutMs: request.timeoutMs,
        graceMs: this.#graceMs,
        clock: this.#clock,
        time,
        signal,
        // A tool that was never found was never started.
        settlesOnAbort: () => found.tool?.settlesOnAbort ?? true,
        run,
      })
      const changed = await files.close()
      // What a call changed is kept with its result, or not at all.
      if (outcome.status !== 'completed') return outcome
      return {
        ...outcome,
        ...(changed.length === 0 ? {} : { files: changed }),
        ...readBy(request, outcome, skills),
      }
    } catch (error) {
      this.#log.error('tool call broke the host', {
        tool: request.name,
        reason: describeError(error),
      })
      return failed('tool_error', 'The tool host failed.')
    } finally {
      over = true
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#servers.map((server) => server.close()), this.#sandboxes?.close()])
    await this.#skillDirectories?.close()
  }

  /** A tool, null if there is none, or why the server that might have it cannot say. */
  async #find(name: string): Promise<Runnable | Execution | null> {
    const local = this.#local.get(name)
    if (local !== undefined) return local
    const server = this.#servers.find(({ prefix }) => name.startsWith(prefix))
    if (server === undefined) return null
    await server.tried
    return server.tool(name) ?? (server.isUp ? null : server.unavailable())
  }

  #context(
    request: ToolRequest,
    signal: AbortSignal,
    rest: Pick<ToolContext, 'progress' | 'workspace'>,
  ): ToolContext {
    const { idempotencyKey, attempt, tenantId, threadId, runId, callId, traceparent } = request
    const ids = { idempotencyKey, attempt, tenantId, threadId, runId, callId }
    const fields = structuredClone(request.fields ?? {})
    return {
      signal,
      ...ids,
      fields,
      ...(traceparent === undefined ? {} : { traceparent }),
      ...rest,
    }
  }

  /** Tools without types may say anything. */
  #progress(request: ToolRequest, note: unknown): void {
    try {
      // A word that is cut in two could be the beginning of a secret, which no guardrail knows by its beginning.
      request.progress(wholeWords(String(note), limits.progressCharsMax))
    } catch (error) {
      // Whoever listens to progress must not be able to break the tool.
      this.#log.warn('progress listener threw', {
        tool: request.name,
        reason: describeError(error),
      })
    }
  }
}

/** The skill whose instructions the model has read by their file. What tools of users read, the model has not. */
const readBy = (
  { name }: ToolRequest,
  { output }: Extract<ToolOutcome, { status: 'completed' }>,
  { read }: OpenSkills,
): { readonly skill?: string } =>
  name === readFileToolName && !output.isError && read !== null ? { skill: read } : {}

function wrongVersion(name: string): Execution {
  const message = `Tool "${name}" has changed since the agent was defined.`
  return { ok: false, code: 'tool_version_mismatch', message }
}

const noFiles: OpenWorkspace = {
  workspace: absentWorkspace,
  files: absentFiles,
  close: async () => [],
}

function workspacesOf({ workspaceRoot, snapshots }: ToolHostOptions): Workspaces | null {
  if (workspaceRoot !== undefined) return new DirectoryWorkspaces(workspaceRoot)
  return snapshots === true ? new SnapshotWorkspaces() : null
}

function fileTools({ workspaceRoot, snapshots }: ToolHostOptions): readonly Runnable[] {
  if (workspaceRoot !== undefined) return [...workspaceTools('directory'), viewImage]
  return snapshots === true ? [...workspaceTools('snapshots'), viewImage] : []
}

/** The tool `bash`, and where it executes. */
function commandsOf(options: ToolHostOptions): {
  readonly sandboxes: Sandboxes
  readonly directories: SkillDirectories
  readonly tool: Runnable
} | null {
  const { sandbox, commandsMax, env = process.env, workspaceRoot, snapshots } = options
  if (sandbox === undefined) return null
  const parsed = SandboxConfig.safeParse(sandbox)
  if (!parsed.success) throw new TypeError(`sandbox: ${z.prettifyError(parsed.error)}`)
  const config = parsed.data
  const sandboxes = openSandboxes(config, commandsMax)
  const kept = workspaceRoot === undefined && snapshots === true
  const directories = new SkillDirectories(config.directory ?? tmpdir())
  const skills = new SkillLoans(directories, env)
  const tool = commandTool({ sandboxes, config, env, snapshots: kept, skills })
  return { sandboxes, directories, tool }
}

function localTools(
  tools: readonly DefinedTool[],
  builtIn: readonly Runnable[],
): ReadonlyMap<string, Runnable> {
  const byName = new Map<string, Runnable>()
  for (const tool of tools) {
    const { name } = tool.spec
    if (name.startsWith('mcp__')) throw new TypeError(`Tool "${name}": "mcp__" is reserved.`)
    if (workspaceToolNames.includes(name)) {
      throw new TypeError(`Tool "${name}": this is the name of a workspace tool.`)
    }
    if (name === bashToolName && builtIn.some(({ spec }) => spec.name === name))
      throw new TypeError(`Tool "${name}": this is the name of the tool of the sandbox.`)
    if (byName.has(name)) throw new TypeError(`Tool "${name}" is defined twice.`)
    byName.set(name, tool)
  }
  for (const tool of builtIn) {
    // A program that had a tool of this name before there was ours keeps it.
    if (tool.spec.name === viewImageTool && byName.has(viewImageTool)) continue
    byName.set(tool.spec.name, tool)
  }
  return byName
}

function startServers(options: ToolHostOptions, clock: Clock): readonly McpServer[] {
  const { log, mcpServers = {}, startTimeoutMs = 30_000, env = process.env } = options
  const usable = Object.entries(mcpServers).map(([name, input]) => {
    const parsed = McpServerConfig.safeParse(input)
    if (!parsed.success) {
      throw new TypeError(`MCP server "${name}": ${z.prettifyError(parsed.error)}`)
    }
    const expanded = expandConfig(parsed.data, env)
    if (!expanded.ok) throw new TypeError(`MCP server "${name}": ${expanded.message}`)
    return { name, config: expanded.config }
  })
  // Nothing is started before everything is known to be right.
  return usable.map(({ name, config }) => {
    return new McpServer({ name, config, clock, log, startTimeoutMs })
  })
}
