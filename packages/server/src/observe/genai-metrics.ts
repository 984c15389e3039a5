/** The metrics of OpenTelemetry's conventions for generative AI, with the buckets that these ask for. */
import type { Attributes, Meter } from '@opentelemetry/api'
import type { ModelTurn } from '@signalbox/core'

const tokenBuckets = [
  1, 4, 16, 64, 256, 1_024, 4_096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304, 16_777_216,
  67_108_864,
]
const secondBuckets = [
  0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92,
]

export function genAiMetrics(meter: Meter) {
  const tokens = meter.createHistogram('gen_ai.client.token.usage', {
    unit: '{token}',
    description: 'Tokens of a model call, as the provider counted them.',
    advice: { explicitBucketBoundaries: tokenBuckets },
  })
  const duration = meter.createHistogram('gen_ai.client.operation.duration', {
    unit: 's',
    description: 'Time of a model call.',
    advice: { explicitBucketBoundaries: secondBuckets },
  })
  return {
    /** `attributes` are those of the call's span. */
    answered(attributes: Attributes, turn: ModelTurn, ms: number): void {
      const { usage, error, verdict, model } = turn
      const about = { ...labelsOf(attributes), 'gen_ai.response.model': model }
      if (usage.inputTokens !== undefined)
        tokens.record(usage.inputTokens, { ...about, 'gen_ai.token.type': 'input' })
      if (usage.outputTokens !== undefined)
        tokens.record(usage.outputTokens, { ...about, 'gen_ai.token.type': 'output' })
      const failed = verdict === 'error' ? { 'error.type': error?.class ?? 'unknown' } : {}
      duration.record(ms / 1000, { ...about, ...failed })
    },
  }
}

const labels = [
  'gen_ai.operation.name',
  'gen_ai.provider.name',
  'gen_ai.request.model',
  'server.address',
  'server.port',
]

const labelsOf = (attributes: Attributes): Attributes =>
  Object.fromEntries(
    labels.flatMap((name) => (attributes[name] === undefined ? [] : [[name, attributes[name]]])),
  )
