/** The questions auditors ask, each with the columns that answer it. A name is never changed: people script with it. */
import { sql } from 'kysely'
import { approver, requester, unapprovedCalls } from './approved.ts'
import {
  args,
  callId,
  column,
  endingColumns,
  fromPayload,
  iso,
  ofCall,
  ofEffect,
  ofEnding,
  resolutionColumns,
  tool,
} from './columns.ts'
import { ledgerQuestions } from './ledger.ts'
import type { AuditQuestion } from './question.ts'

/** Names of the questions. */
export const questionNames = [
  'denied_calls',
  'unknown_outcomes',
  'approvals',
  'safety_stops',
  'executed_calls',
  'file_changes',
  'unapproved_calls',
  'definitions',
  'administration',
  'log_access',
] as const
/** One of `questionNames`. */
export type QuestionName = (typeof questionNames)[number]

const argsHash = column(
  'args_hash',
  'Digest of the arguments that were decided about, or executed.',
  sql`coalesce(e.payload #>> '{edited,argsHash}', e.payload ->> 'argsHash', x.spec ->> 'argsHash')`,
)
const mode = column(
  'mode',
  'What the tool declared: `idempotent` or `once`; `read` changes nothing.',
  sql`x.mode`,
)
const attempt = fromPayload('attempt', '{attempt}', 'Which execution of the call, from 1.')

/** Every question by its name. */
export const questions: Readonly<Record<QuestionName, AuditQuestion>> = {
  ...ledgerQuestions,
  unapproved_calls: unapprovedCalls,
  denied_calls: {
    asks: 'Which calls were denied, by which policy, and why?',
    types: ['call.denied', 'tool.denied'],
    joins: [ofEffect, ofCall],
    columns: [
      tool,
      callId,
      args,
      column(
        'code',
        'The stable code of the first reason.',
        sql`coalesce(e.payload ->> 'code', e.payload #>> '{answer,reasons,0,code}')`,
      ),
      column(
        'reason',
        'The first reason, in words.',
        sql`coalesce(e.payload ->> 'message', e.payload #>> '{answer,reasons,0,message}')`,
      ),
      column(
        'policy_id',
        'The policy that denied it, where one did.',
        sql`coalesce(e.payload ->> 'policyId', e.payload #>> '{answer,policyId}')`,
      ),
    ],
  },
  unknown_outcomes: {
    asks: 'Of which calls did nobody know whether they happened, and what was said of them later?',
    types: ['tool.unknown'],
    joins: [ofEffect, ofCall, ofEnding],
    columns: [
      tool,
      callId,
      fromPayload('effect_id', '{effectId}', 'The idempotency key that the tool was given.'),
      args,
      attempt,
      fromPayload('reason', '{reason}', '`worker_lost` or `not_settled`.'),
      ...resolutionColumns,
    ],
  },
  approvals: {
    asks: 'Who approved what, and what did not wait for them any more?',
    types: ['approval.answered', 'approval.reused', 'approval.expired'],
    joins: [ofEffect, ofCall],
    columns: [
      column(
        'decision',
        '`approve`, `reject`, `edit`; `reused` where an earlier approval stood; `expired`.',
        sql`coalesce(e.payload ->> 'decision', split_part(e.type, '.', 2))`,
      ),
      column('by', 'Who decided, as the server authenticated them.', sql`e.payload #>> '{by,id}'`),
      fromPayload('role', '{by,role}', 'In which role.'),
      column(
        'requester',
        'Who asked for the run: its user, or who created it where there is none.',
        requester,
      ),
      column('approver', 'Who decided, in the same form; null where nobody did.', approver),
      column(
        'four_eyes',
        'Is the approver another than the requester? Null where nobody decided.',
        sql`${approver} <> ${requester}`,
      ),
      tool,
      callId,
      args,
      argsHash,
      fromPayload('scope', '{scope}', '`once`, `run`, `always`: how far it reaches.'),
      fromPayload('note', '{note}', 'What they noted.'),
    ],
  },
  safety_stops: {
    asks: "What did a provider's filter stop, for which end user?",
    types: ['safety.suppressed'],
    joins: [],
    columns: [
      column(
        'evidence',
        'What was seen: detector, field and value of each.',
        sql`e.payload -> 'evidence'`,
      ),
      column(
        'tools',
        'Tools whose calls were taken out. Their arguments stand nowhere.',
        sql`jsonb_path_query_array(e.payload, '$.calls[*].name')`,
      ),
      fromPayload('explanation', '{explanation}', 'What the user was told.'),
    ],
  },
  executed_calls: {
    asks: 'Which tool calls ran between two times, with which arguments, to what end?',
    types: ['effect.started'],
    ofTools: true,
    needs: ['since', 'until'],
    joins: [ofEffect, ofCall, ofEnding],
    columns: [tool, callId, args, argsHash, mode, attempt, ...endingColumns],
  },
  file_changes: {
    asks: 'Which calls may have changed this file: whose arguments name the path, and whose tool is not only for reading?',
    types: ['effect.started'],
    ofTools: true,
    needs: ['path'],
    joins: [ofEffect, ofCall, ofEnding],
    columns: [
      tool,
      callId,
      args,
      argsHash,
      mode,
      attempt,
      ...endingColumns,
      column('worker', 'Who executed it.', sql`e.payload ->> 'owner'`),
      column('started_at', 'When it began.', iso('e.at')),
    ],
  },
}
