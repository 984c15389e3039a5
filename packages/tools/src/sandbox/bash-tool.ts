/**
 * The tool `bash`: a script of the model, executed in a sandbox over the files of the thread.
 *
 * B1 All or nothing: what a command changed is kept if it exited, whatever its exit code. One that was stopped changed nothing.
 * B2 Without network, over files in the register, nothing of it leaves the sandbox but its result: a lost call is run
 *    again (`idempotent`). Else it is `once`.
 * B3 It settles when none of its processes is alive, so a cancelled call is never unknown.
 */
import {
  limits,
  type JsonObject,
  JsonObjectSchema,
  type SandboxReport,
  ToolSpec,
} from '@signalbox/core'
import { z } from 'zod'
import { assembleOutput } from '../output.ts'
import type { CallAccess, Execution, Runnable, ToolContext } from '../runnable.ts'
import type { SkillLoan, SkillLoans } from './skill-loans.ts'
import { toolVersion } from '../version.ts'
import type { FileSet } from '../workspace/file-set.ts'
import { orAbort } from './abort.ts'
import { networkOf, type SandboxConfig, sandboxLimitsOf, virtualNetwork } from './config.ts'
import { endWords } from './end-words.ts'
import { showLive } from './live-output.ts'
import { type Mask, maskFor } from './mask.ts'
import type {
  EndedCommand,
  Network,
  Sandbox,
  SandboxCommand,
  SandboxLimits,
  Sandboxes,
} from './sandbox.ts'

/** Its name, which is a selector of agents as well. */
export const bashToolName = 'bash'
/** Its queue, for workers that execute commands and nothing else. */
export const sandboxQueue = 'sandbox'
/** Beside the command: writing files out, reading them back, waiting for a place. Milliseconds. */
const aroundMs = 60_000

/** How long a call may take, all of it. Milliseconds. */
export const bashTimeoutMs = ({ limits: { wallMs } }: SandboxConfig): number => wallMs + aroundMs

/** The parts that the tool is made of. */
export interface BashToolOptions {
  readonly sandboxes: Sandboxes
  readonly config: SandboxConfig
  readonly env: Readonly<Record<string, string | undefined>>
  /** Are files kept in the register? Those of a directory are changed where they are. */
  readonly snapshots: boolean
  /** Where commands find the skills of their run. */
  readonly skills: Pick<SkillLoans, 'lend'>
}

/** @throws TypeError for a configuration that makes no sense here. */
export function commandTool(options: BashToolOptions): Runnable {
  const { config, env, snapshots } = options
  const own = sandboxLimitsOf(config)
  const network = networkOf(config, env)
  if (network.kind !== 'none' && config.use === 'virtual')
    throw new TypeError(`sandbox.network: ${virtualNetwork}`)
  const Input = inputOf(own)
  const effect = network.kind === 'none' && snapshots ? 'idempotent' : 'once'
  const { $schema: _, ...schema } = z.toJSONSchema(Input, { io: 'input' })
  const inputSchema = JsonObjectSchema.parse(schema)
  const spec = ToolSpec.parse({
    name: bashToolName,
    version: toolVersion({ name: bashToolName, inputSchema, effect }),
    description: describeTool(config.use, network),
    inputSchema,
    effect,
    queue: sandboxQueue,
    timeoutMs: bashTimeoutMs(config),
    ...(effect === 'idempotent' ? { contained: true } : {}),
  })
  const execute = commandsOf({ ...options, own, network })
  return {
    spec,
    settlesOnAbort: true,
    async execute(args: JsonObject, context: ToolContext, access: CallAccess): Promise<Execution> {
      const input = Input.safeParse(args)
      if (!input.success)
        return { ok: false, code: 'invalid_arguments', message: z.prettifyError(input.error) }
      const loan = await options.skills.lend(access.skills)
      if (!loan.ok) return loan
      const { command: script, timeoutMs = own.wallMs } = input.data
      try {
        return await execute({ script, timeoutMs }, context, { files: access.files, loan })
      } finally {
        loan.release()
      }
    },
  }
}

/** Executes scripts, each in a sandbox of its own. */
function commandsOf(
  how: BashToolOptions & { readonly own: SandboxLimits; readonly network: Network },
) {
  const { sandboxes, config, snapshots, own, network } = how
  return async (
    command: SandboxCommand,
    context: ToolContext,
    { files, loan }: { readonly files: FileSet; readonly loan: SkillLoan },
  ): Promise<Execution> => {
    const { tenantId, threadId, runId, callId, signal } = context
    const ids = { tenantId, threadId, runId, callId }
    const { mounts, secrets } = loan
    const env = { ...config.env, ...secrets }
    const sandbox = await place(
      sandboxes.open({ ...ids, files, mounts, limits: own, network, env }),
      signal,
    )
    const mask = maskFor(network, Object.values(secrets))
    try {
      const live = showLive(context.progress, mask)
      const ended = await sandbox.exec(command, signal, live.take).finally(() => live.stop())
      if (ended.ended === 'cancelled') signal.throwIfAborted()
      if (ended.ended === 'lost' || ended.ended === 'cancelled') return lost(ended, mask)
      const problem = await keep(sandbox.changes(), { files, snapshots, mask })
      const { timeoutMs } = command
      return resultOf(ended, { adapter: sandboxes.adapter, limits: own, timeoutMs, problem, mask })
    } finally {
      await sandbox.close()
    }
  }
}

const inputOf = ({ wallMs }: SandboxLimits) =>
  z.strictObject({
    command: z
      .string()
      .min(1)
      .max(limits.commandCharsMax)
      .refine((text) => !text.includes('\u0000'), { error: 'a command has no NUL' })
      .describe('A script for bash. It starts in the directory of the files.'),
    timeoutMs: z
      .number()
      .int()
      .min(1000)
      .max(wallMs)
      .optional()
      .describe(`Milliseconds after which it is stopped; ${wallMs} if left out.`),
  })

function describeTool(use: SandboxConfig['use'], network: Network): string {
  const programs =
    use === 'virtual'
      ? 'The usual text tools are there (grep, sed, awk, jq, find, sort, tar, …); other programs, python and node among them, are not.'
      : 'The programs of the machine are there.'
  const reach =
    network.kind === 'none'
      ? 'There is no network.'
      : `Through the proxy that is set, it reaches only: ${network.rules.hosts.map(hostText).join(', ')}.`
  return [
    'Runs a bash script in a sandbox, in the directory of the files of this conversation.',
    programs,
    reach,
    'Changed files are kept when the script exits, whatever its exit code, and none when it is stopped. Nothing runs on afterwards: no background processes, no servers; /tmp and variables are gone.',
    'Calls of the same turn each work on a copy of the files, and do not see what the others change.',
  ].join(' ')
}

const hostText = ({ host, below, port }: { host: string; below: boolean; port: number }): string =>
  `${below ? '*.' : ''}${host}:${port}`

/** A sandbox, or the end of waiting for one: whoever is cancelled takes no place. */
async function place(opening: Promise<Sandbox>, signal: AbortSignal): Promise<Sandbox> {
  try {
    return await orAbort(opening, signal)
  } catch (error) {
    opening.then(
      (sandbox) => sandbox.close(),
      () => undefined,
    )
    throw error
  }
}

/**
 * A sandbox that could not be had, or broke. No file was changed: with another attempt it may work. Of a command that has reached a host
 * nobody knows what it did there.
 */
function lost({ reason = '', egress }: EndedCommand, mask: Mask): Execution {
  const hasLeft = egress.some(({ verdict }) => verdict === 'allowed')
  const what = hasLeft
    ? 'The sandbox failed. No file was changed, but the command has reached the network.'
    : 'The sandbox failed, and the command changed nothing.'
  const message = `${what} ${mask.clean(reason)}`.trim()
  return { ok: false, code: 'sandbox_lost', message, ...(hasLeft ? { unknown: true } : {}) }
}

/** Takes over the files. Answers why not, for the model; null if they are kept. Those of a directory are written one by one. */
async function keep(
  changes: ReturnType<Awaited<ReturnType<Sandboxes['open']>>['changes']>,
  {
    files,
    snapshots,
    mask,
  }: { readonly files: FileSet; readonly snapshots: boolean; readonly mask: Mask },
): Promise<string | null> {
  const found = await changes
  if (!found.ok) return mask.clean(`No file was kept: ${found.message}`)
  if (found.value.length === 0) return null
  const telling = found.value.find(
    ({ path, bytes }) => mask.isTold(Buffer.from(path)) || (bytes && mask.isTold(bytes)),
  )
  if (telling) return mask.clean(`No file was kept: ${telling.path} has a secret in it.`)
  const refused = await files.take(found.value)
  const kept = snapshots ? 'No file was kept' : 'Not every file was kept'
  return refused && `${kept}: ${refused.message}`
}

function resultOf(
  ended: EndedCommand,
  how: {
    readonly adapter: string
    readonly limits: SandboxLimits
    readonly timeoutMs: number
    readonly problem: string | null
    readonly mask: Mask
  },
): Execution {
  const why = ended.reason === undefined ? {} : { reason: ended.reason }
  const words = endWords(ended.ended, { ...how, ...why })
  const stopped = words === null ? null : how.mask.clean(words)
  const text = (bytes: Uint8Array): string =>
    how.mask.clean(Buffer.from(bytes).toString('utf8').trimEnd())
  const [stdout, stderr] = [text(ended.stdout), text(ended.stderr)]
  const texts = [
    stdout,
    stderr === '' ? '' : `stderr:\n${stderr}`,
    ended.exitCode ? `exit code ${ended.exitCode}` : '',
    stopped ?? '',
    how.problem ?? '',
  ].filter((each) => each !== '')
  const said = texts.length === 0 ? '(no output)' : texts.join('\n')
  const isError = stopped !== null || how.problem !== null
  return {
    ok: true,
    output: assembleOutput({ texts: [said], isError }),
    sandbox: reportOf(ended, how),
  }
}

function reportOf(
  { exitCode, signal, ended, usage, egress }: EndedCommand,
  { adapter, mask }: { readonly adapter: string; readonly mask: Mask },
): SandboxReport {
  const hosts = egress.map((each) => ({ ...each, host: mask.cleanHost(each.host) }))
  return { adapter, exitCode, signal, ended, ...usage, egress: hosts }
}
