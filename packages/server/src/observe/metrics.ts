/** Metrics of one process, for Prometheus. Labels have few values each: never ids, never text of users. */
import type { Engine } from '@signalbox/engine'
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'
import { LabelValues } from './label-values.ts'

const seconds = [0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const longSeconds = [...seconds, 30, 60, 120, 300, 600]

export type Metrics = ReturnType<typeof createMetrics>

/** Registers every metric but those of `register-gauges.ts`. `defaults` adds those of the Node process. */
export function createMetrics({ defaults }: { readonly defaults: boolean }) {
  const registry = new Registry()
  if (defaults) collectDefaultMetrics({ register: registry, prefix: 'signalbox_' })
  return {
    registry,
    /** The agents, the models and the skills of the configuration: others are `other`. */
    agents: new LabelValues(),
    models: new LabelValues(),
    skills: new LabelValues(),
    reconciler: reconcilerGauge(registry),
    ...metricsOfRuns(registry),
    ...metricsOfProcess(registry),
  }
}

const makersOf = (registry: Registry) => {
  const registers = [registry]
  return {
    counter: <L extends string>(name: string, help: string, labelNames: readonly L[]) =>
      new Counter({ name: `signalbox_${name}`, help, labelNames: [...labelNames], registers }),
    histogram: <L extends string>(
      name: string,
      help: string,
      options: { readonly labelNames: readonly L[]; readonly buckets: readonly number[] },
    ) =>
      new Histogram({
        name: `signalbox_${name}`,
        help,
        labelNames: [...options.labelNames],
        buckets: [...options.buckets],
        registers,
      }),
    gauge: <L extends string = never>(name: string, help: string, labelNames: readonly L[] = []) =>
      new Gauge({ name: `signalbox_${name}`, help, labelNames: [...labelNames], registers }),
  }
}

/** The work of runs, as far as this process did it. */
function metricsOfRuns(registry: Registry) {
  const { counter, histogram } = makersOf(registry)
  return {
    runsCreated: counter('runs_created_total', 'Runs created.', ['agent']),
    runsEnded: counter('runs_ended_total', 'Runs ended, by outcome.', ['outcome']),
    runSeconds: histogram('run_seconds', 'Time of a run, from its creation to its end.', {
      labelNames: ['agent', 'outcome'],
      buckets: [...longSeconds, 1_800, 3_600, 14_400, 86_400],
    }),
    effects: counter('effects_total', 'Outcomes of effects, by the fact that records them.', [
      'kind',
      'status',
    ]),
    contextCalls: counter(
      'context_calls_total',
      'Calls of models that no turn asked for, by what came of them.',
      ['kind', 'outcome'],
    ),
    skillsLoaded: counter('skills_loaded_total', 'Skills that runs have loaded, by whom.', [
      'skill',
      'by',
    ]),
    claims: counter('claims_total', 'Claims of effects, by answer.', ['code']),
    decisions: counter('decisions_total', 'Decisions, by answer: all but ok are lost races.', [
      'code',
    ]),
    appends: histogram('append_seconds', 'Time of one append.', {
      labelNames: ['result'],
      buckets: seconds,
    }),
    modelCalls: histogram('model_call_seconds', 'Time of one model call.', {
      labelNames: ['provider', 'model', 'verdict'],
      buckets: longSeconds,
    }),
    tokens: counter('model_tokens_total', 'Tokens, as the provider counted them.', [
      'provider',
      'model',
      'direction',
    ]),
    cacheTokens: counter(
      'model_cache_tokens_total',
      'Input tokens that a cache has served or kept.',
      ['provider', 'model', 'access'],
    ),
    images: counter('model_images_total', 'Images of requests, shown and left out.', [
      'provider',
      'model',
      'what',
    ]),
    toolCalls: histogram('tool_call_seconds', 'Time of one execution of a tool.', {
      labelNames: ['tool', 'status'],
      buckets: longSeconds,
    }),
    uploads: counter('uploads_total', 'Uploaded files, by what became of them.', ['outcome']),
    uploadBytes: counter('upload_bytes_total', 'Bytes of files as they came in.', []),
    commands: counter(
      'sandbox_commands_total',
      'Commands executed in a sandbox, by what ended them.',
      ['adapter', 'ended'],
    ),
    hints: counter('hints_dispatched_total', 'Hints given to the queue.', ['queue']),
  }
}

/** The process, and what it stands on. */
function metricsOfProcess(registry: Registry) {
  const { counter, histogram, gauge } = makersOf(registry)
  return {
    build: gauge('build_info', '1. The labels say which build this process is.', [
      'version',
      'node',
      'roles',
    ]),
    logDropped: counter(
      'log_lines_dropped_total',
      'Lines of the log that could not be written.',
      [],
    ),
    wakeLag: histogram(
      'wake_lag_seconds',
      'From the writing of an event to a stream that shows it.',
      {
        labelNames: [],
        buckets: seconds,
      },
    ),
    http: histogram('http_request_seconds', 'Time to the head of the answer.', {
      labelNames: ['method', 'route', 'status'],
      buckets: seconds,
    }),
    ...gaugesOf(registry),
  }
}

function gaugesOf(registry: Registry) {
  const gauge = (name: string, help: string) =>
    new Gauge({ name: `signalbox_${name}`, help, registers: [registry] })
  return {
    runsNotMine: gauge(
      'runs_not_mine',
      'Runs left to other processes: newer than this build, or their policies cannot be prepared.',
    ),
    registerUp: gauge('register_up', '1 if Postgres answered the last look, else 0.'),
    queueUp: gauge(
      'queue_up',
      '1 if the queue answered the last look, else 0. Absent without a queue.',
    ),
    busUp: gauge('bus_up', '1 if the wake bus answered the last look, else 0.'),
    streams: gauge('streams_open', 'Open event streams.'),
  }
}

function reconcilerGauge(registry: Registry) {
  const name = 'signalbox_reconciler_last_turn_seconds'
  const source = { name, ageMs: () => 0 }
  const gauge: Gauge = new Gauge({
    name,
    help: 'Age of the last look of the reconciler in which the register answered every question.',
    registers: [registry],
    collect: () => gauge.set(source.ageMs() / 1000),
  })
  return source
}

/** Lets the metrics tell of the reconciler of a process; null for one that has none, which then says nothing of it. */
export function measureReconciler(metrics: Metrics, engine: Pick<Engine, 'health'> | null): void {
  if (engine) metrics.reconciler.ageMs = () => engine.health().reconcilerAgeMs ?? 0
  else metrics.registry.removeSingleMetric(metrics.reconciler.name)
}

/** The metrics in Prometheus' text format, made anew for each request. */
export const metricsPage =
  ({ registry }: Pick<Metrics, 'registry'>) =>
  async (): Promise<{ readonly contentType: string; readonly text: string }> => ({
    contentType: registry.contentType,
    text: await registry.metrics(),
  })
