/** Passports and calls for the tests of this folder. */
import type {
  JsonObject,
  PassportSpec,
  PolicyAnswer,
  PolicyRequest,
  RateState,
} from '@signalbox/core'
import { evaluatePassport } from '../../src/passport/evaluate-passport.ts'

/** 2026-10-01T12:00:00Z. */
export const noon = 1_790_856_000_000

export const request = (tool: string, args: JsonObject = {}, at = noon): PolicyRequest => ({
  tool,
  args,
  callId: 'call-1',
  agent: 'writer',
  tenantId: 'tenant',
  threadId: 'thread',
  runId: 'run',
  isSubagent: false,
  user: null,
  at,
})

/** A passport of the working draft: active, L2, with every capability that has checks. */
export const passport = (limits: JsonObject, fields: JsonObject = {}): JsonObject => ({
  passport_id: '7c9a1f8e-6d9a-4f4c-9b6f-0d6d3f0f1a11',
  kind: 'instance',
  spec_version: 'oap/1.0',
  owner_id: 'org_1',
  owner_type: 'org',
  assurance_level: 'L2',
  status: 'active',
  capabilities: [
    { id: 'system.command.execute' },
    { id: 'data.file.read' },
    { id: 'data.file.write' },
    { id: 'web.fetch' },
    { id: 'web.browser' },
    { id: 'mcp.tool.execute' },
    { id: 'messaging.send' },
    { id: 'agent.session.create' },
  ],
  limits,
  regions: ['DE'],
  created_at: '2026-01-01T00:00:00Z',
  updated_at: '2026-01-01T00:00:00Z',
  version: '1.0.0',
  ...fields,
})

export const spec = (held: JsonObject, fields: Partial<PassportSpec> = {}): PassportSpec => ({
  use: 'passport',
  id: 'passport',
  digest: 'sha256:00',
  passport: held,
  capabilities: {},
  source: null,
  edition: 2,
  ...fields,
})

export const ask = (held: JsonObject, asked: PolicyRequest, recent?: RateState): PolicyAnswer =>
  evaluatePassport(spec(held), asked, recent)

/** `allow`, or the code of the refusal. */
export const verdictOf = ({ effect, reasons }: PolicyAnswer): string =>
  effect === 'allow' ? 'allow' : (reasons[0]?.code ?? effect)

/** What a passport with these limits of commands says about a command. */
export const command = (limits: JsonObject, text: string, args: JsonObject = {}): string =>
  verdictOf(
    ask(
      passport({ 'system.command.execute': { allowed_commands: ['*'], ...limits } }),
      request('bash', { command: text, ...args }),
    ),
  )
