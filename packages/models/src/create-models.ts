import type { ModelTurn } from '@signalbox/core'
import type { Model, ModelRequest, ModelSink } from '@signalbox/engine'
import { callModel } from './call-model.ts'
import type { ModelsOptions } from './models-options.ts'

/**
 * The models of all providers. One call is one request: no retries, no loop, no tools. Answers a turn for whatever
 * happens, a missing key included; rejects only with the reason of an aborted signal.
 */
export function createModels(options: ModelsOptions): Model {
  return {
    call(request: ModelRequest, sink: ModelSink, signal: AbortSignal): Promise<ModelTurn> {
      return callModel(options, { request, sink, signal })
    },
  }
}
