/** Whether a policy may ask a human is known before it does: then standing approvals are looked up. */
import { expect, it } from 'vitest'
import { mayAskAPerson } from '../../src/verdict/authorization/may-ask.ts'
import { PolicySpec } from '../../src/verdict/authorization/spec.ts'

const passport = (limits: object) => ({ use: 'passport', id: 'p', passport: { limits } })

it.each([
  [{ use: 'allowlist', id: 'a', deniedTools: ['x'] }, false],
  [{ use: 'allowlist', id: 'a', approvalTools: ['x'] }, true],
  [passport({ 'messaging.send': { msgs_per_min: 1, approval_required: false } }), false],
  [passport({ 'messaging.send': { approval_required: true } }), true],
  [passport({ 'system.command.execute': { require_confirmation: true } }), true],
  [{ use: 'cedar', id: 'c', policies: { p: 'permit(principal,action,resource);' } }, false],
  [{ use: 'cedar', id: 'c', policies: {}, approval: ['p'] }, true],
  [{ use: 'http', id: 'h', url: 'http://x/' }, false],
  [{ use: 'module', id: 'm', path: './m.ts#x' }, false],
])('%j: %s', (spec, asks) => {
  expect(mayAskAPerson(PolicySpec.parse(spec))).toBe(asks)
})
