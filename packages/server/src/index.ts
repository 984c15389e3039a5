export type { Exchange, Inspect } from './compose/inspect.ts'
export type { EnginePorts, Role, Signalbox, StartOptions } from './compose/start.ts'
export { startSignalbox } from './compose/start-signalbox.ts'
export { secretNames } from './compose/secrets.ts'
export { StartError, type StartErrorCode } from './compose/start-error.ts'
export { type IssuedKey, issueKey, keyNameCharsMax, liveKeysMax } from './keys/issue-key.ts'
export { type Scope, scopes } from './keys/scope.ts'
export { exitCodes, runServer, type RunServerOptions } from './run-server.ts'
export { ConfigError, type ConfigErrorCode } from './config/config-error.ts'
export { defineConfig } from './config/define-config.ts'
export { defineDetector } from './config/define-detector.ts'
export { defineGuardrail } from './config/define-guardrail.ts'
export { type DefinedPolicy, definePolicy } from './config/define-policy.ts'
export { type Env, type Environment, readEnvironment } from './config/environment.ts'
export {
  type AgentGovernance,
  type Governance,
  loadGovernance,
  usableDetectors,
} from './config/governance/load-governance.ts'
export { loadConfig, type LoadedConfig } from './config/load-config.ts'
export { parseConfig } from './config/parse-config.ts'
export { type Offer, resolveAgents } from './config/resolve-agents.ts'
export type { Config, ConfigInput } from './config/schema.ts'
export { type ProblemCode, problemKinds } from './http/problem-codes.ts'
export { createLog, type LogOptions } from './observe/log.ts'
export { createRedact, type Redact, secretsOf } from './observe/redact.ts'
export type { PolicyModule, PolicyModuleContext } from '@signalbox/policies'
