/** Guardrails of an agent as users write them: who judges its calls, and what judges its words while they stream. */
import { AgentDefinition, StreamGuardSpec } from '@signalbox/core'
import type { Guardrail } from '@signalbox/policies'
import { z } from 'zod'
import { isGuardrail } from './define-guardrail.ts'
import { Providers, ToolNames } from './provider-schema.ts'
import { ModulePath } from './references.ts'

const [ErrorRecovery, Pii, Secrets, BannedTerms, Patterns] = StreamGuardSpec.options
const { patterns } = Patterns.shape

/** Absent: arguments are looked at, and by `secrets` the results of tools. */
const reach = { arguments: z.boolean().optional(), toolResults: z.boolean().optional() }

const BuiltInGuard = z.discriminatedUnion('use', [
  z.strictObject(ErrorRecovery.shape),
  // Absent: all that new agents look for, which may be more than a stored definition without a list means.
  z.strictObject({
    ...Pii.shape,
    ...reach,
    entities: Pii.shape.entities.removeDefault().optional(),
  }),
  z.strictObject({ ...Secrets.shape, ...reach }),
  z.strictObject({ ...BannedTerms.shape, ...reach }),
  z.strictObject({
    ...Patterns.shape,
    ...reach,
    patterns: z.array(z.strictObject(patterns.element.shape)).min(1).max(50),
    /** Names of patterns that are left out if RE2 cannot use them; without, such a pattern is refused at start. */
    skip: z.array(z.string()).max(50).default([]),
  }),
])

/** Guardrails that need no settings. */
const plainGuards = ['error-recovery', 'pii', 'secrets'] as const

/** One stream guardrail: by name, with settings, a module, or in TypeScript and JavaScript an object. */
export const StreamGuardSetting = z.union(
  [
    z.enum(plainGuards),
    ModulePath,
    BuiltInGuard,
    z.strictObject({ id: Pii.shape.id, use: ModulePath }),
    z.custom<Guardrail>(isGuardrail),
  ],
  `takes ${plainGuards.map((name) => `"${name}"`).join(', ')}, { "use": "banned-terms" or "patterns", … }, ` +
    './file.ts#export, or what defineGuardrail made',
)
export type StreamGuardSetting = z.output<typeof StreamGuardSetting>

const { shape } = AgentDefinition.shape.guardrails.unwrap()

/** Guardrails of an agent. */
export const GuardrailsConfig = z.strictObject({
  /** True insists that there is something to guard with; false switches all of it off. */
  enabled: z.boolean().optional(),
  /** Who judges the calls of a turn: one, or several of which deny beats approval beats allow. */
  provider: Providers.optional(),
  /** Tools that a human must approve, call by call. */
  approvalTools: ToolNames.default([]),
  /** A policy that cannot answer denies. */
  failClosed: shape.failClosed,
  /** What judges the words of the model while they stream, in this order. */
  stream: z.array(StreamGuardSetting).max(16).default([]),
  /** Corrections after the first attempt of a turn. */
  maxGuardrailRetries: shape.maxGuardrailRetries,
})
