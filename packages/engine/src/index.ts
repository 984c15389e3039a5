export type * from './ports.ts'
export type * from './engine.ts'
export { createEngine, type EngineDeps, type Role } from './create-engine.ts'
export { defaultSettings, type EngineSettings } from './settings.ts'
export { createEach, type Each, type Loop } from './roles/each-of.ts'
export { systemClock, systemRandom } from './system.ts'
export { AbortError, messageOf, RetryableError, TerminalError } from './errors.ts'
export { sanitise, sanitiseObject, sanitiseText } from './record/sanitise.ts'
export { createDigests } from './record/digests.ts'
export {
  checkStored,
  definitionChanged,
  definitionHash,
  isChanged,
  readStored,
} from './record/definition.ts'
export { canonical, payloadHash, uuidOf } from './record/draft.ts'
export { settlesWithin } from './record/patience.ts'
export { createLedger, ledgerDraft, ledgerRunId } from './record/ledger.ts'
export { foldLog } from './record/view.ts'
export { retryAlias } from './retry.ts'
export {
  type ChangeMemory,
  type MemoryEntry,
  type MemoryView,
  type PauseMemory,
  readMemory,
} from './change-memory.ts'
export { memoryOf, type MemoryOf, memoryThreadId, type Served } from './memory-thread.ts'
export { rebuildPrompt, type RebuildDeps } from './perform/rebuilt.ts'
export { withMemoryTools } from './perform/memory-tools.ts'
export { readResultTool, withLeftOut, withReadResult } from './perform/read-result.ts'
export { fileEvents } from './perform/files.ts'
export { bundleOf, createBundles } from './perform/bundles.ts'
export { withLoadSkill } from './perform/load-skill.ts'
export { beginningOf } from './perform/heard-files.ts'
export { fileContent } from './perform/file-content.ts'
export { decodeText, encodeEdits, placeOf, type TextEdit } from './perform/text-edit.ts'
export type { CheckArguments } from './answer-approval.ts'
