export { createNotifyWakeBus } from './wake/notify-wake-bus.ts'
export {
  type ChainPart,
  createChainCheck,
  eventDigest,
  genesisHash,
  payloadHash,
  verifyChain,
} from './chain.ts'
export { createKeyring, type Keyring, type ShownKey } from './keys/keyring.ts'
export type { ListedKey } from './keys/listing.ts'
export { describeSchema } from './migrate/describe-schema.ts'
export { checkSchema, SchemaOutdated } from './migrate/check-schema.ts'
export { migrationsFolder, readMigrations } from './migrate/files.ts'
export {
  type LoginRole,
  loginRoles,
  migrate,
  type MigrateReport,
  MigrationRefused,
} from './migrate/migrate.ts'
export { ensurePartitions } from './migrate/partitions.ts'
export { restoreFeed, type RestoreReport } from './migrate/restored.ts'
export {
  type Applied,
  appliedQuery,
  newestVersion,
  type Standing,
  standingOf,
} from './migrate/standing.ts'
export { createRegister } from './register/register.ts'
export type { ApprovalRequest, ApprovalView } from './read/approvals.ts'
export type { InputFilter, InputRequest } from './read/inputs.ts'
export type { OneOrMore } from './read/audit-filter.ts'
export type { FileFact, FilesThrough, ThreadFiles } from './read/files.ts'
export { TooBroad } from './read/bounded.ts'
export type { SearchFilter } from './read/audit-search.ts'
export { type StatsGroup, type StatsKey, statsKeys } from './read/audit-stats.ts'
export { type UsageGroup, type UsageKey, usageKeys } from './read/usage.ts'
export type { AuditEvent } from './read/audit.ts'
export type { AssistantContent, Assistants, StoredAssistant } from './resources/assistants.ts'
export type { Cron, NewCron } from './resources/cron.ts'
export type { CronFilter, CronOrder, Crons } from './resources/crons.ts'
export { createUpkeep, type DueCron, type ExpiredThread, type Upkeep } from './resources/upkeep.ts'
export { createResources, type Resources } from './resources/resources.ts'
export type { Store, StorePut } from './resources/store.ts'
export type { StoredUpload, Uploads } from './resources/uploads.ts'
export type { StoreCondition, StoreOperator } from './resources/store-filter.ts'
export type { StoreItem, StoreSearch } from './resources/store-queries.ts'
export type { Page, RunFilter } from './read/listings.ts'
export { columnsOf } from './read/questions/ask.ts'
export { type QuestionName, questionNames, questions } from './read/questions/catalogue.ts'
export { createRegisterProbe, type RegisterProbe } from './probe.ts'
export { openDatabaseTime } from './time.ts'
export { createTallyReader, type Tally } from './read/tally.ts'
export type { RunConditions } from './read/run-conditions.ts'
export {
  isRunPosition,
  type ListedRun,
  type RunCount,
  runCountKeys,
  type RunCountKey,
  type RunPage,
} from './read/run-search.ts'
export type { ListedPause } from './read/pauses.ts'
export { type WaitKind, waitKinds, type WaitsBelow, type WaitsFor } from './read/waits-for.ts'
export { createReader, type Reader, type Waiting } from './read/reader.ts'
export type { ThreadFilter, ThreadOrder, ThreadStatus, ThreadView } from './read/threads.ts'
export type { UnknownEffect } from './read/unknown.ts'
