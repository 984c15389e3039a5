/** Requests, specs and a host with a clock in the test's hand. */
import {
  AllowlistSpec,
  CedarSpec,
  HttpPolicySpec,
  ModulePolicySpec,
  PassportSpec,
  type PolicyAnswer,
  type PolicyRequest,
} from '@signalbox/core'
import type { Log, PolicyHost } from '@signalbox/engine'
import { onTestFinished } from 'vitest'
import type { z } from 'zod'
import { createPolicyHost, type PolicyHostOptions } from '../../src/index.ts'

export const never: AbortSignal = new AbortController().signal
export const startedAt = 1_750_000_000_500
export const digest = 'sha256:00'

export function request(changes: Partial<PolicyRequest> = {}): PolicyRequest {
  return {
    tool: 'bash',
    args: { command: 'ls' },
    callId: 'call_1',
    agent: 'writer',
    tenantId: 'default',
    threadId: 'thread-1',
    runId: 'run-1',
    isSubagent: false,
    user: { id: 'ada', role: 'author' },
    at: startedAt - 500,
    ...changes,
  }
}

type Own<S extends z.ZodType> = Omit<z.input<S>, 'id' | 'digest' | 'use'>
const named = { id: 'p', digest }

export const cedarSpec = (own: Own<typeof CedarSpec>): CedarSpec =>
  CedarSpec.parse({ ...named, use: 'cedar', ...own })
export const httpSpec = (own: Own<typeof HttpPolicySpec>): HttpPolicySpec =>
  HttpPolicySpec.parse({ ...named, use: 'http', ...own })
export const moduleSpec = (own: Partial<Own<typeof ModulePolicySpec>> = {}): ModulePolicySpec =>
  ModulePolicySpec.parse({ ...named, use: 'module', path: './mine.ts#policy', ...own })
export const passportSpec = (own: Own<typeof PassportSpec>): PassportSpec =>
  PassportSpec.parse({ ...named, use: 'passport', ...own })
export const allowlistSpec = (): AllowlistSpec =>
  AllowlistSpec.parse({ ...named, use: 'allowlist', allowedTools: [] })

/** A line of the log. */
export interface Line {
  readonly level: keyof Log
  readonly message: string
  readonly fields: Readonly<Record<string, unknown>>
}

export interface Hosting {
  readonly host: PolicyHost
  readonly lines: readonly Line[]
  /** Moves the clock, by milliseconds. */
  readonly pass: (ms: number) => void
}

export function hosting(options: Partial<PolicyHostOptions> = {}): Hosting {
  let now = startedAt
  const lines: Line[] = []
  const write =
    (level: keyof Log) =>
    (message: string, fields: Readonly<Record<string, unknown>> = {}): void =>
      void lines.push({ level, message, fields })
  const log = {
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
  }
  const host = createPolicyHost({
    log,
    clock: { now: () => now },
    env: {},
    modules: new Map(),
    evaluatePassport: byStatus,
    baseDir: '/',
    ...options,
  })
  onTestFinished(() => host.close())
  return { host, lines, pass: (ms) => void (now += ms) }
}

/**
 * The part of the OAP's rules that a living passport is about: any status but `active` suspends. The whole evaluator
 * is the core's, and tested there.
 */
export function byStatus(spec: PassportSpec): PolicyAnswer {
  const { id: policyId, digest: policyDigest } = spec
  const status = spec.passport['status']
  const answer = (effect: PolicyAnswer['effect'], code: string): PolicyAnswer => ({
    effect,
    reasons: [{ code, message: `status ${JSON.stringify(status)}` }],
    policyId,
    policyDigest,
  })
  if (status === 'ask') return answer('require_approval', 'approval_required')
  if (status === 'throw') throw new Error('broken')
  return status === 'active'
    ? answer('allow', 'oap.allowed')
    : answer('deny', 'oap.passport_suspended')
}
