/** `sandbox` of the configuration, and what of it a call is given. */
import { BashAuditSpec, limits } from '@signalbox/core'
import { z } from 'zod'
import { covers, hostRule, hostRuleForm } from './egress/rules.ts'
import type { Network, SandboxLimits } from './sandbox.ts'

const mebibyte = 1024 * 1024

const HostForm = z
  .string()
  .max(limits.idCharsMax)
  .refine((text) => hostRule(text) !== null, {
    error: `a host is ${hostRuleForm}`,
  })

const HeaderName = z.string().regex(/^[A-Za-z0-9-]{1,64}$/, 'a header is 1 to 64 of A-Z a-z 0-9 -')

const EnvName = z
  .string()
  .regex(
    /^[A-Za-z_][A-Za-z0-9_]{0,63}$/,
    'a variable is 1 to 64 of A-Z a-z 0-9 _, not beginning with a digit',
  )

const Limits = z.strictObject({
  /** How long a command may take, and the most that the model may ask for. Milliseconds. */
  wallMs: z.number().int().min(1000).max(limits.commandMsMax).default(120_000),
  /** Processor time of each process. Default: as `wallMs`. */
  cpuMs: z.number().int().min(1000).max(limits.commandMsMax).optional(),
  /** Memory: of all of a command where it has a control group, else of each process. */
  memoryBytes: z
    .number()
    .int()
    .min(limits.sandboxMemoryBytesMin)
    .max(limits.sandboxMemoryBytesMax)
    .default(1024 * mebibyte),
  /** Processes and threads at the same time. */
  processes: z.number().int().min(4).max(limits.sandboxProcessesMax).default(256),
  /** The largest file that a command may write. */
  fileBytes: z
    .number()
    .int()
    .min(4096)
    .max(limits.sandboxFileBytesMax)
    .default(64 * mebibyte),
  /** `/tmp`, which is gone after the call. */
  tmpBytes: z
    .number()
    .int()
    .min(4096)
    .max(limits.sandboxTmpBytesMax)
    .default(256 * mebibyte),
  /** Both outputs together. */
  outputBytes: z.number().int().min(1024).max(limits.commandOutputBytesMax).default(mebibyte),
  /** Files that one process has open. */
  openFiles: z.number().int().min(16).max(limits.sandboxOpenFilesMax).default(1024),
})

const Allowed = z.strictObject({
  /** `api.example.com:443`, `*.example.com:443`. */
  allow: z.array(HostForm).min(1).max(limits.egressRulesMax),
  /** Methods of requests that are not encrypted, and of those whose headers are added to. Default: all. */
  methods: z.array(z.string().regex(/^[A-Z]{1,16}$/, 'a method is 1 to 16 of A-Z')).optional(),
  /** By host: a header that its requests get outside of the sandbox, its value from a variable of the worker. */
  inject: z.record(z.string(), z.strictObject({ header: HeaderName, env: EnvName })).default({}),
})

/** The sandbox that the tool `bash` executes in. */
export const SandboxConfig = z
  .strictObject({
    /** `virtual`: bash in TypeScript, everywhere, no boundary against hostile code. `bubblewrap`: real programs, on Linux. */
    use: z.enum(['virtual', 'bubblewrap']).default('virtual'),
    /**
     * The treatment of commands that the audit objects to. `enforce`: the dangerous ones are refused, the odd ones flagged. `flag`: all of them
     * run, and are flagged. `off`: nobody looks.
     */
    audit: z.enum([...BashAuditSpec.shape.mode.options, 'off']).default('enforce'),
    /** The resources that one command may use. Beyond them the command is stopped, or the system refuses more. */
    limits: Limits.prefault({}),
    /** The hosts that commands may reach. With anything but `none` a lost call is never repeated by itself. */
    network: z.union([z.literal('none'), Allowed]).default('none'),
    /** Variables that commands find: values of their own, never those of the worker. */
    env: z.record(EnvName, z.string().max(4096)).default({}),
    /** For `bubblewrap`: where the files of running commands are. Default: that of the system for temporary files. */
    directory: z.string().min(1).optional(),
  })
  .superRefine(({ use, network }, context) => {
    if (network === 'none') return
    const refuse = (path: readonly string[], message: string): void =>
      context.addIssue({ code: 'custom', path: ['network', ...path], message })
    if (use === 'virtual') refuse([], virtualNetwork)
    const rules = network.allow.flatMap((text) => hostRule(text) ?? [])
    for (const host of Object.keys(network.inject))
      if (!rules.some((rule) => covers(rule, host)))
        refuse(['inject', host], 'takes the name of a host that "allow" has, without its port')
  })

/** For messages. */
export const virtualNetwork = '"virtual" has no network; set sandbox.use to "bubblewrap"'

export type SandboxConfig = z.output<typeof SandboxConfig>

/** The limits as adapters have them. */
export const sandboxLimitsOf = ({ limits: { cpuMs, ...rest } }: SandboxConfig): SandboxLimits => ({
  ...rest,
  cpuMs: cpuMs ?? rest.wallMs,
})

/** The network as adapters have it. `env` holds the values of what is injected. @throws TypeError that names the variable */
export function networkOf(
  { network }: SandboxConfig,
  env: Readonly<Record<string, string | undefined>>,
): Network {
  if (network === 'none') return { kind: 'none' }
  const hosts = network.allow.flatMap((text) => hostRule(text) ?? [])
  const inject = Object.entries(network.inject).map(([host, { header, env: name }]) => {
    const value = env[name]
    if (value === undefined || value === '')
      throw new TypeError(`sandbox.network.inject.${host}: the variable ${name} is not set`)
    return { host: host.toLowerCase(), header, value }
  })
  return { kind: 'allow', rules: { hosts, methods: network.methods ?? null, inject } }
}
