/** Stream guardrails as an agent pins them: data, so that the same definition always judges alike. */
import { z } from 'zod'

/** What a guardrail does about what it finds: take it out, let the model correct itself, or end the run. */
export const GuardAction = z.enum(['redact', 'fail', 'stop'])

/** Kinds of personal data that can be found by their shape. */
export const PiiEntity = z.enum([
  'email',
  'phone',
  'ssn',
  'cn-resident-id',
  'credit-card',
  'iban',
  'ip-address',
])

const named = {
  /** Names the guardrail in trips and events; the `use` word if absent. */
  id: z.string().min(1).max(200).optional(),
}

/** Where a guardrail looks besides what the model says. Definitions of before had nowhere else. */
const reach = {
  /** The arguments of calls: redacted before they are hashed, judged and approved. */
  arguments: z.boolean().default(false),
  /** The results of tools: redacted before they are recorded, whatever the action is. */
  toolResults: z.boolean().default(false),
}

/** Lets the model correct what a provider refused: a tool that does not exist, arguments that are no JSON. */
export const ErrorRecoverySpec = z.object({ ...named, use: z.literal('error-recovery') })

/** Personal data in text and reasoning. */
export const PiiSpec = z.object({
  ...named,
  use: z.literal('pii'),
  entities: z.array(PiiEntity).min(1).default(['email', 'phone', 'ssn', 'credit-card', 'iban']),
  action: GuardAction.default('redact'),
  ...reach,
})

/** Keys, tokens and passwords by their public formats. */
export const SecretsSpec = z.object({
  ...named,
  use: z.literal('secrets'),
  action: GuardAction.default('redact'),
  ...reach,
})

/** Words and phrases that may not be said. */
export const BannedTermsSpec = z.object({
  ...named,
  use: z.literal('banned-terms'),
  terms: z.array(z.string().min(1).max(200)).min(1).max(1000),
  action: GuardAction.default('fail'),
  caseSensitive: z.boolean().default(false),
  /** Only where neither neighbour is a letter, a digit or an underscore. Wrong for scripts without spaces. */
  wholeWord: z.boolean().default(true),
  ...reach,
})

/** Regular expressions of the user's own, in RE2 syntax. */
export const PatternsSpec = z.object({
  ...named,
  use: z.literal('patterns'),
  patterns: z
    .array(
      z.object({
        /** Stands in the marker and in the feedback. */
        name: z.string().regex(/^[a-z0-9-]{1,40}$/),
        pattern: z.string().min(1).max(1000),
      }),
    )
    .min(1)
    .max(50),
  action: GuardAction.default('redact'),
  ...reach,
})

/** A guardrail of the user's own, `./file.ts#export`; the shell loads it. */
const ModuleGuardSpec = z.object({
  ...named,
  use: z.literal('module'),
  path: z.string().min(1).max(1000),
})

/** A stream guardrail as an agent pins it. */
export const StreamGuardSpec = z.discriminatedUnion('use', [
  ErrorRecoverySpec,
  PiiSpec,
  SecretsSpec,
  BannedTermsSpec,
  PatternsSpec,
  ModuleGuardSpec,
])

export type GuardAction = z.infer<typeof GuardAction>
export type PiiEntity = z.infer<typeof PiiEntity>
export type ErrorRecoverySpec = z.infer<typeof ErrorRecoverySpec>
export type PiiSpec = z.infer<typeof PiiSpec>
export type SecretsSpec = z.infer<typeof SecretsSpec>
export type BannedTermsSpec = z.infer<typeof BannedTermsSpec>
export type PatternsSpec = z.infer<typeof PatternsSpec>
export type ModuleGuardSpec = z.infer<typeof ModuleGuardSpec>
export type StreamGuardSpec = z.infer<typeof StreamGuardSpec>
