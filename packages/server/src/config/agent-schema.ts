/** One agent as users write it. What the core pins of it stands in `AgentDefinition`; this is stricter about its keys. */
import {
  AgentDefinition,
  ClarificationConfig,
  DetectorConfig,
  limits,
  LoopConfig,
  ModelConfig,
  RunField,
  SubagentsConfig,
} from '@signalbox/core'
import { isSafetyDetector, type SafetyDetector } from '@signalbox/models'
import { z } from 'zod'
import { isPassed } from './client-names.ts'
import { GuardrailsConfig } from './guardrails-schema.ts'
import { ToolNames } from './provider-schema.ts'
import { HttpAddress, isModulePath, KeyName, ModulePath } from './references.ts'
import { SkillsConfig } from './skills-schema.ts'

const { shape } = AgentDefinition
const safety = shape.safety.unwrap().shape
const { rememberedBits: _bits, gateNamed: _gate, ...approvals } = shape.approvals.unwrap().shape
const loop = LoopConfig.shape
/** What agents wait and scroll with. */
const repeatable = ['wait', 'sleep', 'delay', 'scroll'] as const
const cycles = loop.cycles.unwrap().unwrap().shape

const Model = z
  .strictObject({
    ...ModelConfig.shape,
    maxOutputTokens: z.number().int().min(1).max(limits.outputTokensMax).optional(),
    baseURL: HttpAddress.optional(),
    apiKeyEnv: KeyName.optional(),
    price: z.strictObject(ModelConfig.shape.price.unwrap().shape).optional(),
  })
  .refine(({ provider, baseURL }) => provider !== 'openai-compatible' || baseURL !== undefined, {
    path: ['baseURL'],
    error:
      'is missing; openai-compatible is for any vendor, so it takes an address such as http://127.0.0.1:11434/v1',
  })
  .refine(
    ({ contextWindow, maxOutputTokens }) =>
      contextWindow === undefined ||
      maxOutputTokens === undefined ||
      maxOutputTokens < contextWindow,
    {
      path: ['maxOutputTokens'],
      error: 'takes less than contextWindow: a request and its answer share the window',
    },
  )

/** A detector's name, or `./file.ts#export`. */
const DetectorName = z
  .string()
  .min(1)
  .refine((name) => !isModulePath(name) || ModulePath.safeParse(name).success, {
    error: 'takes the name of a detector, or ./file.ts#export',
  })

const Detector = z.union([
  DetectorName,
  z.strictObject({ ...DetectorConfig.shape, use: DetectorName }),
  z.custom<SafetyDetector>(isSafetyDetector, {
    error: 'a detector is made with defineDetector({ … })',
  }),
])

/** One entry of `safety.detectors`. */
export type DetectorSetting = z.output<typeof Detector>

const descriptionCharsMax = 1000
const fieldsMax = 32

const Field = z
  .strictObject(RunField.shape)
  .refine(({ type, values = [] }) => values.every((value) => typeof value === type), {
    path: ['values'],
    error: 'takes values of the type of the field',
  })

const fieldName = shape.fields.unwrap().keyType
const Fields = z
  .record(
    fieldName.refine((name) => !isPassed(name), {
      error: "is a name that LangGraph's clients use themselves; take another one",
    }),
    Field,
  )
  .refine((fields) => Object.keys(fields).length <= fieldsMax, {
    error: `takes at most ${fieldsMax} fields`,
  })

/**
 * Fields of a definition that users write as a run pins them. A field that is added to the definition is one of these: its objects are
 * strict about their keys (`z.strictObject`), so that a name that is spelt wrongly is refused here too.
 */
const asDefined = AgentDefinition.omit({
  // Set by what resolves the agents.
  name: true,
  digests: true,
  continueCutCalls: true,
  ends: true,
  // Written otherwise, see below.
  model: true,
  instructions: true,
  tools: true,
  skills: true,
  skillTools: true,
  fields: true,
  subagents: true,
  breaker: true,
  fallbackModels: true,
  safety: true,
  guardrails: true,
  approvals: true,
  loop: true,
  limits: true,
  modelRetries: true,
}).shape

/** An agent. */
export const AgentConfig = z.strictObject({
  model: Model,
  instructions: z.string().default(''),
  /** What the agent does, for agents that may start runs of it: the description of that tool. */
  description: z.string().trim().min(1).max(descriptionCharsMax).optional(),
  /** `workspace`, `mcp:<server>`, `agent:<agent>`, or the name of a tool. */
  tools: ToolNames.default([]),
  /** Skills that the model may load: their folders. */
  skills: SkillsConfig.default([]),
  breaker: z.strictObject(shape.breaker.unwrap().shape).prefault({}),
  /** Asked in this order when the model's retries are used up; never after a safety stop. */
  fallbackModels: z.array(Model).max(8).default([]),
  safety: z
    .strictObject({
      ...safety,
      /** In the place of the built-in ones. */
      detectors: z.array(Detector).max(100).optional(),
      hold: z.strictObject(safety.hold.unwrap().shape).optional(),
    })
    .prefault({}),
  guardrails: GuardrailsConfig.prefault({}),
  approvals: z.strictObject(approvals).prefault({}),
  loop: LoopConfig.safeExtend({
    cycles: z
      .strictObject({
        ...cycles,
        // Definitions of older builds look for two.
        longest: cycles.longest.unwrap().default(5),
      })
      .nullable()
      .prefault({}),
    stagnation: z.strictObject(loop.stagnation.unwrap().unwrap().shape).nullable().prefault({}),
    // In definitions of older builds nothing but results of the same set is progress.
    news: loop.news.unwrap().default(true),
    repeatable: loop.repeatable.unwrap().default(() => [...repeatable]),
    toolFreqOverrides: z
      .record(z.string(), z.strictObject(loop.toolFreqOverrides.unwrap().valueType.shape))
      .default({}),
  })
    .strict()
    .prefault({}),
  limits: z.strictObject(shape.limits.unwrap().shape).prefault({}),
  modelRetries: z.strictObject(shape.modelRetries.unwrap().shape).prefault({}),
  ...asDefined,
  /** `true`: with what stands in its place by default. */
  clarification: z
    .union([z.literal(true).transform(() => ClarificationConfig.parse({})), ClarificationConfig])
    .optional(),
  /** Runs that the agent may start, and their files. Default of `files`: `read`; `none` beside `workspace.root`. */
  subagents: z
    .strictObject({
      ...SubagentsConfig.shape,
      files: SubagentsConfig.shape.files.unwrap().optional(),
    })
    .optional(),
  /** Fields that a client may say of a run: what tools read in `context.fields`, and policies in `request.fields`. */
  fields: Fields.optional(),
})
export type AgentConfig = z.output<typeof AgentConfig>
