/** Sources of a model's answers in a test. */
import type { Recording } from './recording.ts'
import type { Turn } from './turns.ts'

/**
 * Turns: the first call of the model in a run is answered by the first of them, and so on, retries and corrections included; each run
 * begins anew. Or a recording, whose answers are given in the order in which they were recorded.
 */
export type ModelSource = readonly Turn[] | Recording

/** Is it a recording? */
export const isRecording = (source: ModelSource): source is Recording => 'kind' in source
