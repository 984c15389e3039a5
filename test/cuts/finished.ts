/**
 * Recorded streams that were given the end they do not have: no recording of the messages wire has a call that may run, and that of
 * Converse has no arguments.
 */
import type { JsonObject } from '@signalbox/core'
import type { Event } from '../../packages/models/test/support/wire-bytes.ts'
import { eventOf, placesOf, without } from './derived.ts'
import { type Frame, frameOf } from './frames.ts'
import { canariesOf, type Recorded } from './recorded.ts'
import { saidBy } from './said.ts'
import { tool } from '../../packages/models/test/support/call.ts'

export function finishedStreams(recorded: readonly Recorded[]): readonly Recorded[] {
  return recorded.flatMap((each) => {
    if (each.name.endsWith('incomplete_partial_json_response.txt')) return [finishedMessages(each)]
    return each.wire === 'converse' ? [converseWithArguments(each)] : []
  })
}

/** The answer that was cut by its length, as it would have ended with a little more room. */
function finishedMessages(cut: Recorded): Recorded {
  const frames = without(
    cut.frames,
    placesOf(cut.frames, (said) => /"type":"message_(delta|stop)"/.test(said)),
  )
  const more: readonly Event[] = [
    {
      type: 'content_block_delta',
      index: 1,
      delta: { type: 'input_json_delta', partial_json: ' is a chore."]}' },
    },
    { type: 'content_block_stop', index: 1 },
    {
      type: 'message_delta',
      delta: { stop_reason: 'tool_use', stop_sequence: null },
      usage: { output_tokens: 140 },
    },
    { type: 'message_stop' },
  ]
  const args: JsonObject = {
    filename: 'taxes.txt',
    lines_of_text: [
      '# COMPREHENSIVE TAX GUIDE FOR INDIVIDUALS WITH MULTIPLE W-2s',
      '',
      '## INTRODUCTION',
      '',
      'Filing taxes is a chore.',
    ],
  }
  return {
    ...finished(cut, [...frames, ...more.map((event) => frameOf('messages', event))]),
    tools: [tool('make_file')],
    calls: [{ name: 'make_file', args }],
    canaries: ['COMPREHENSIVE', 'INTRODUCTION', 'Filing taxes'],
  }
}

const piece = (input: string): Frame =>
  frameOf('converse', {
    contentBlockDelta: { contentBlockIndex: 1, delta: { toolUse: { input } } },
  })

function converseWithArguments(recorded: Recorded): Recorded {
  const args = { title: 'Issue four, répété', done: false }
  const json = JSON.stringify(args)
  const frames = recorded.frames.flatMap((frame) =>
    JSON.stringify(eventOf(frame)).includes('"input":""')
      ? [piece(json.slice(0, 12)), piece(json.slice(12, 30)), piece(json.slice(30))]
      : [frame],
  )
  return {
    ...finished(recorded, frames),
    calls: [{ name: 'updateIssueList', args }],
    canaries: canariesOf(json),
  }
}

const finished = (of: Recorded, frames: readonly Frame[]): Recorded => ({
  ...of,
  name: `${of.name}, finished`,
  frames,
  verdict: 'complete',
  said: saidBy(of.wire, frames),
})
