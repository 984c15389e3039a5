/** The operations of an OpenAPI document, as a fuzzer asks for them. */
import { z } from 'zod'
import { resolved } from './schema-values.ts'

const Parameter = z.object({
  name: z.string(),
  in: z.enum(['path', 'query', 'header', 'cookie']),
  required: z.boolean().default(false),
  schema: z.unknown(),
})
export type Parameter = z.infer<typeof Parameter>

const Referenced = z.object({ $ref: z.string() })
const Content = z.object({ content: z.record(z.string(), z.object({ schema: z.unknown() })) })
const RawOperation = z.object({
  parameters: z.array(z.unknown()).default([]),
  requestBody: Content.optional(),
})
const Document = z.object({ paths: z.record(z.string(), z.record(z.string(), RawOperation)) })

export interface FuzzedOperation {
  readonly method: string
  readonly path: string
  readonly parameters: readonly Parameter[]
  /** The schema of a JSON body; null if it takes none. */
  readonly body: { readonly schema: unknown } | null
}

/** Every operation there is. A new one is there without a change here. */
export function operationsOf(document: unknown): readonly FuzzedOperation[] {
  const { paths } = Document.parse(document)
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, { parameters, requestBody }]) => ({
      method: method.toUpperCase(),
      path,
      parameters: parameters.map((each) => parameterOf(document, each)),
      body: requestBody?.content['application/json'] ?? null,
    })),
  )
}

function parameterOf(document: unknown, parameter: unknown): Parameter {
  const reference = Referenced.safeParse(parameter)
  return Parameter.parse(reference.success ? resolved(document, reference.data.$ref) : parameter)
}
