/** Configuration of MCP servers, in the form that people already have in other programs. */
import { getDefaultEnvironment } from '@modelcontextprotocol/client/stdio'
import { JudgedArguments, judgedProblem } from '@signalbox/core'
import { z } from 'zod'

const Judged = JudgedArguments.check(({ value, issues }) => {
  const problem = judgedProblem(value)
  if (problem !== null) issues.push({ code: 'custom', input: value, message: problem })
})

const common = {
  /** Believe the server's hints about what its tools do. Otherwise each of its tools counts as `once`. */
  trustHints: z.boolean().default(false),
  /** Worker queue of its tools. */
  queue: z
    .string()
    .regex(/^[a-z][a-z0-9-]{0,31}$/)
    .default('tools'),
  /** Milliseconds one call may take. */
  timeoutMs: z.number().int().positive().default(60_000),
  /** What is said about single tools, by the names that the server gives them. */
  tools: z
    .record(
      z.string().min(1),
      z.strictObject({
        /** Which arguments are paths, addresses, recipients: `{ path: ['path'] }`. Passports judge them by it. */
        judged: Judged.optional(),
      }),
    )
    .default({}),
}

/** A server that is a child process and speaks over its standard input and output. */
const McpStdioConfig = z.strictObject({
  type: z.literal('stdio').optional(),
  command: z.string().min(1),
  args: z.array(z.string()).default([]),
  env: z.record(z.string(), z.string()).default({}),
  cwd: z.string().optional(),
  ...common,
})

/** A server that is reached over streamable HTTP. */
const McpHttpConfig = z.strictObject({
  type: z.enum(['http', 'streamable-http']).optional(),
  url: z.string().min(1),
  headers: z.record(z.string(), z.string()).default({}),
  ...common,
})

/** One entry of `mcpServers`. `${NAME}` and `${NAME:-default}` stand for variables of the process environment. */
export const McpServerConfig = z.union([McpStdioConfig, McpHttpConfig])

export type McpServerConfig = z.infer<typeof McpServerConfig>

/** A configuration with its variables filled in, or the reason why it cannot be used. */
export type Expanded =
  | { readonly ok: true; readonly config: McpServerConfig }
  | { readonly ok: false; readonly message: string }

/** Variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>

/** Fills in the variables of a configuration. A variable that is not set and has no default is an error. */
export function expandConfig(config: McpServerConfig, env: Environment): Expanded {
  const missing = new Set<string>()
  const text = (value: string): string => expand(value, env, missing)
  const record = (values: Readonly<Record<string, string>>): Record<string, string> =>
    Object.fromEntries(Object.entries(values).map(([key, value]) => [key, text(value)]))
  const expanded: McpServerConfig =
    'url' in config
      ? { ...config, url: text(config.url), headers: record(config.headers) }
      : {
          ...config,
          command: text(config.command),
          args: config.args.map(text),
          env: record(config.env),
          ...(config.cwd === undefined ? {} : { cwd: text(config.cwd) }),
        }
  if (missing.size > 0) {
    return { ok: false, message: `environment variable not set: ${[...missing].join(', ')}` }
  }
  if ('url' in expanded && !/^https?:$/.test(URL.parse(expanded.url)?.protocol ?? '')) {
    return { ok: false, message: 'its url is not an http or https address' }
  }
  return { ok: true, config: expanded }
}

function expand(value: string, env: Environment, missing: Set<string>): string {
  return value.replaceAll(
    /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g,
    (_, name: string, fallback: string | undefined) => {
      const found = env[name] ?? fallback
      if (found === undefined) missing.add(name)
      return found ?? ''
    },
  )
}

/**
 * The environment of a child server: what programs need to run, and what is configured. Nothing else of ours, since
 * servers can be made to print their environment.
 */
export function childEnvironment(
  configured: Readonly<Record<string, string>>,
): Record<string, string> {
  const env = getDefaultEnvironment()
  for (const name of ['LANG', 'LC_ALL', 'LC_CTYPE', 'TZ', 'TMPDIR']) {
    const value = process.env[name]
    if (value !== undefined) env[name] = value
  }
  return { ...env, ...configured }
}
