/** What the values of a state hold beside messages: a key for each thing that a run leaves for its users. The only place that lists them. */
import { type ArtifactValues } from '../../files/artifacts.ts'
import { artifactFields } from '../../http/wire/file-view.ts'
import type { Todos } from '@signalbox/core'
import { planFields, planValues } from './plan.ts'

/** A run at a step, or what has become of it so far. */
export interface RunLeft {
  /** The artifacts that the run has left so far for its users. */
  readonly artifacts: ArtifactValues
  /** The plan of the model; null if none was written. */
  readonly todos: Todos | null
}

/** The keys, each absent where there is nothing to show. */
export const runValueFields = { ...artifactFields, ...planFields }

/** Their values. */
export const runValues = ({ artifacts, todos }: RunLeft) => ({
  ...artifacts,
  ...planValues(todos),
})

/** Before anything was decided. */
export const nothingLeft: RunLeft = { artifacts: {}, todos: null }
