export {
  type EmbeddedPhase,
  type EmbeddedPostgres,
  type EmbeddedPostgresOptions,
  startEmbeddedPostgres,
} from './embedded-postgres.ts'
export { EmbeddedPostgresError, type EmbeddedPostgresErrorCode } from './errors.ts'
export { KeptPostgres } from './kept-postgres.ts'
export type { ServerSettings } from './settings.ts'
