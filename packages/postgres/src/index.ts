export {
  type EmbeddedPostgres,
  type EmbeddedPostgresOptions,
  startEmbeddedPostgres,
} from './embedded/embedded-postgres.ts'
export { EmbeddedPostgresError, type EmbeddedPostgresErrorCode } from './embedded/errors.ts'
export type { ServerSettings } from './embedded/settings.ts'
export { createNotifyWakeBus, type NotifyWakeBusOptions } from './wake/notify-wake-bus.ts'
export {
  type ChainPart,
  type ChainReport,
  eventDigest,
  genesisHash,
  payloadHash,
  verifyChain,
} from './chain.ts'
export { type Sanitised, sanitiseJson } from './sanitise.ts'
export { describeSchema } from './migrate/describe-schema.ts'
export { type Migration, migrationsFolder, readMigrations } from './migrate/files.ts'
export {
  type LoginRole,
  migrate,
  type MigrateOptions,
  type MigrateReport,
  MigrationRefused,
} from './migrate/migrate.ts'
export { ensurePartitions } from './migrate/partitions.ts'
export type { BatchOptions } from './register/batcher.ts'
export { createRegister, type RegisterOptions } from './register/register.ts'
export type {
  ApprovalAnswered,
  ApprovalFilter,
  ApprovalRequest,
  ApprovalStatus,
  ApprovalView,
} from './read/approvals.ts'
export type { AuditEvent, AuditFilter } from './read/audit.ts'
export type { Page, RunFilter } from './read/listings.ts'
export { createReader, type Reader, type ReaderOptions, type Waiting } from './read/reader.ts'
export type {
  ThreadEventsPage,
  ThreadFilter,
  ThreadOrder,
  ThreadStatus,
  ThreadView,
} from './read/threads.ts'
