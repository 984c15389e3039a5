/** Policy providers as users write them: who judges the calls of a turn. */
import { JsonObjectSchema, limits } from '@signalbox/core'
import { z } from 'zod'
import { type DefinedPolicy, isPolicy } from './define-policy.ts'
import { suggestion } from './nearest.ts'
import { FilePath, HttpAddress, ModulePath } from './references.ts'

/** Names of tools. */
export const ToolNames = z.array(z.string().min(1).max(limits.idCharsMax)).max(1000)

const PolicyId = z.string().min(1).max(limits.idCharsMax)
/** Names the policy in events and answers; the `use` word if absent. */
const named = { id: PolicyId.optional() }
const timeoutMs = z.number().int().min(1).max(60_000).default(2000)

const Allowlist = z.strictObject({
  ...named,
  use: z.literal('allowlist'),
  /** Only these may be called; `[]` none. Absent or null: all the agent has. */
  allowedTools: ToolNames.nullable().default(null),
  /** These may not be called, whatever else says so. */
  deniedTools: ToolNames.default([]),
  /** A human must approve each call of these. */
  approvalTools: ToolNames.default([]),
})

const Passport = z
  .strictObject({
    ...named,
    use: z.literal('passport'),
    /** The passport itself; it is as it is for as long as a run lives. */
    passport: JsonObjectSchema.optional(),
    /** A passport in a file, or at an address: read at start, and again before each execution. */
    file: FilePath.optional(),
    url: HttpAddress.optional(),
    /** Tool name to capability, over the built-in map. `exempt`: the passport says nothing about it. */
    capabilities: z.record(z.string(), z.string()).default({}),
    /**
     * What follows for an argument that looks like a path, an address or a recipient, and that its tool does not declare
     * in `judged`: a denial, a warning in the log, or nothing.
     */
    undeclaredArguments: z.enum(['deny', 'warn', 'ignore']).default('deny'),
    /** The absolute path that relative paths of calls are relative to. */
    root: z.string().regex(/^\//, 'takes an absolute path').optional(),
  })
  .refine(
    ({ passport, file, url }) =>
      [passport, file, url].filter((one) => one !== undefined).length === 1,
    'takes exactly one of passport, file and url',
  )

const CedarFiles = z.record(PolicyId, FilePath)

const Cedar = z
  .strictObject({
    ...named,
    use: z.literal('cedar'),
    /** Policies by id, as text; `files` the same, one policy in each. */
    policies: z.record(PolicyId, z.string().min(1)).default({}),
    files: CedarFiles.default({}),
    schema: z.string().optional(),
    schemaFile: FilePath.optional(),
    /** Policy id to reason code. */
    codes: z.record(z.string(), z.string()).default({}),
    /** Ids of the permits that ask a human. */
    approval: z.array(PolicyId).default([]),
    /** Ids of the permits that let a call pass and leave `policy.warned` in the log. */
    warn: z.array(PolicyId).default([]),
  })
  .refine(({ policies, files }) => Object.keys({ ...policies, ...files }).length > 0, {
    error: 'there is no policy; name at least one in policies or files',
  })
  .refine(({ policies, files }) => Object.keys(files).every((id) => !Object.hasOwn(policies, id)), {
    path: ['files'],
    error: 'has an id that policies has too',
  })
  .refine(({ schema, schemaFile }) => schema === undefined || schemaFile === undefined, {
    path: ['schemaFile'],
    error: 'takes no value beside schema',
  })

const Http = z.strictObject({
  ...named,
  use: z.literal('http'),
  /** A data API as that of OPA: `POST` with `{input}`, `{result}` in the answer. */
  url: HttpAddress,
  timeoutMs,
  /** Name of the environment variable that holds a bearer token. */
  tokenEnv: z.string().min(1).optional(),
})

const Module = z.strictObject({
  ...named,
  /** A function `(request, context)`, or what definePolicy made. */
  use: ModulePath,
  config: JsonObjectSchema.optional(),
  timeoutMs: timeoutMs.unwrap().optional(),
})

const uses = ['allowlist', 'passport', 'cedar', 'http']

const takesProvider = 'takes { use: "allowlist", … }, another provider, or a list of them'

const BuiltIn = z.discriminatedUnion('use', [Allowlist, Passport, Cedar, Http], {
  error: ({ input }) => {
    if (typeof input !== 'object' || input === null) return takesProvider
    const use: unknown = Reflect.get(input, 'use')
    if (use === undefined) return `is missing; it takes ${uses.join(', ')}, or ./file.ts#export`
    const word = typeof use === 'string' ? use : ''
    const known = suggestion(word, uses)
    return `there is no provider "${word}".${known} One of your own is ./file.ts#export.`
  },
})

/** One provider: built in, a module, or in TypeScript and JavaScript what definePolicy made. */
export const Provider = z.union(
  [
    BuiltIn,
    Module,
    z.custom<DefinedPolicy>(isPolicy, { error: 'a policy is made with definePolicy({ … })' }),
  ],
  { error: takesProvider },
)

/** One, or several. */
export const Providers = z.union([Provider, z.array(Provider).min(1).max(16)], {
  error: takesProvider,
})

export type Provider = z.output<typeof Provider>
export type PassportProvider = z.output<typeof Passport>
export type CedarProvider = z.output<typeof Cedar>
