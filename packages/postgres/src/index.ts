export {
  createNotifyWakeBus,
  type NotifyWakeBus,
  type NotifyWakeBusOptions,
} from './wake/notify-wake-bus.ts'
export {
  type ChainCheck,
  type ChainPart,
  type ChainReport,
  createChainCheck,
  eventDigest,
  genesisHash,
  payloadHash,
  verifyChain,
} from './chain.ts'
export {
  createKeyring,
  type KeyDraft,
  type Keyring,
  type KeyringOptions,
  keysPageMax,
  type ShownKey,
} from './keys/keyring.ts'
export type { ListedKey } from './keys/listing.ts'
export { describeSchema } from './migrate/describe-schema.ts'
export { checkSchema, SchemaOutdated } from './migrate/check-schema.ts'
export { type Migration, migrationsFolder, readMigrations } from './migrate/files.ts'
export {
  type LoginRole,
  loginRoles,
  migrate,
  type MigrateOptions,
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
export type { BatchOptions } from './register/batcher.ts'
export { createRegister, type RegisterOptions } from './register/register.ts'
export type {
  ApprovalAnswered,
  ApprovalFilter,
  ApprovalRequest,
  ApprovalStatus,
  ApprovalView,
} from './read/approvals.ts'
export type { AuditFilter, OneOrMore } from './read/audit-filter.ts'
export type { AuditReader } from './read/audit-reader.ts'
export type { ContentDigest, FileFact, FilesThrough, ThreadFiles } from './read/files.ts'
export { TooBroad } from './read/bounded.ts'
export type { AuditPage, SearchFilter } from './read/audit-search.ts'
export { type StatsGroup, type StatsKey, statsKeys, type StatsWish } from './read/audit-stats.ts'
export { type UsageFilter, type UsageGroup, type UsageKey, usageKeys } from './read/usage.ts'
export type { UsedDefinition } from './read/used-definition.ts'
export { recordQuery } from './register/ledger.ts'
export type { AuditEvent, PieceEnd } from './read/audit.ts'
export type {
  AssistantContent,
  AssistantPut,
  Assistants,
  StoredAssistant,
} from './resources/assistants.ts'
export type { Cron, CronMaker, NewCron } from './resources/cron.ts'
export type { CronFilter, CronOrder, Crons } from './resources/crons.ts'
export { createUpkeep, type DueCron, type ExpiredThread, type Upkeep } from './resources/upkeep.ts'
export { createResources, type Resources, type ResourcesOptions } from './resources/resources.ts'
export type { Store, StorePut } from './resources/store.ts'
export type { StoredUpload, UploadPart, Uploads } from './resources/uploads.ts'
export type { StoreCondition, StoreOperator } from './resources/store-filter.ts'
export type {
  NamespaceSearch,
  StoreItem,
  StoreKey,
  StoreSearch,
} from './resources/store-queries.ts'
export type { Page, RunFilter } from './read/listings.ts'
export {
  type AnswerPage,
  type AnswerRow,
  columnsOf,
  type QuestionFilter,
} from './read/questions/ask.ts'
export { type QuestionName, questionNames, questions } from './read/questions/catalogue.ts'
export type { QuestionColumn } from './read/questions/columns.ts'
export { createRegisterProbe, type RegisterLook, type RegisterProbe } from './probe.ts'
export { type DatabaseTime, openDatabaseTime } from './time.ts'
export {
  type Backlog,
  countMax,
  createTallyReader,
  type Tally,
  type TallyReader,
} from './read/tally.ts'
export type { QueueView } from './read/queues.ts'
export type { RunConditions } from './read/run-conditions.ts'
export type { RunReader } from './read/run-reader.ts'
export {
  isRunPosition,
  type ListedRun,
  type RunCount,
  runCountKeys,
  type RunCountKey,
  type RunPage,
  type RunSearch,
} from './read/run-search.ts'
export type { ListedPause } from './read/pauses.ts'
export { type WaitKind, waitKinds, type WaitsFor } from './read/waits-for.ts'
export { createReader, type Reader, type ReaderOptions, type Waiting } from './read/reader.ts'
export type {
  ThreadEventsPage,
  ThreadFilter,
  ThreadOrder,
  ThreadStatus,
  ThreadView,
} from './read/threads.ts'
export type { UnknownEffect } from './read/unknown.ts'
