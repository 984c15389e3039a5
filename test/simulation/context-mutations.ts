/** Safety lines of room: what is cleared, cut and summed up. Most are guarded by tests, which say more than a seed does. */
import type { GuardingTest, Mutation } from './mutations.ts'

const engine = (file: string): string => `packages/engine/src/${file}`
const core = (file: string): string => `packages/core/src/${file}`

const coreTest = (file: string, name: string): GuardingTest => ({
  file: `packages/core/test/context/${file}.test.ts`,
  name,
})
const engineTest = (file: string, name: string): GuardingTest => ({
  file: `packages/engine/test/${file}.test.ts`,
  name,
})

export const contextMutations: readonly Mutation[] = [
  {
    name: 'results are cleared for however little (S1)',
    file: core('verdict/context/verdict.ts'),
    line: 'cleared < marks.minTokens',
    becomes: 'cleared < 0',
    test: coreTest('prune', 'for fewer tokens than it is worth'),
  },
  {
    name: 'a turn that overflowed is made lighter for ever (S2)',
    file: core('verdict/context/verdict.ts'),
    line: 'run.relieved > 0',
    becomes: 'run.relieved > 9',
    test: coreTest('overflow', 'once per turn'),
  },
  {
    name: 'a result that reports an error is cleared (K2)',
    file: core('conversation/clear.ts'),
    line: '!isError && ',
    becomes: '',
    test: coreTest('clear', 'a result that reports an error'),
  },
  {
    name: 'results of the newest turns are cleared, too (S3)',
    file: core('conversation/clear.ts'),
    line: 'if (!isThrough(entry.at, through)) break',
    becomes: '',
    test: coreTest('clear', 'the call stays, and one line says'),
  },
  {
    name: 'the words of the user are gone behind a summary (U2)',
    file: core('conversation/cut.ts'),
    line: 'const put = [summary, ...said]',
    becomes: 'const put = [summary]',
    test: coreTest('cut', 'the summary stands before the kept turns'),
  },
  {
    name: 'a summary can end the block that it stands in (C6)',
    file: core('conversation/cut.ts'),
    line: ".replaceAll('<', '&lt;')",
    becomes: '',
    test: coreTest('cut', 'cannot end the block'),
  },
  {
    name: 'what a provider stopped is summed up (C7)',
    file: core('conversation/serialise.ts'),
    line: 'if (!mayBeKept(entry)) return gap',
    becomes: '',
    test: coreTest('cut', 'leaves out a turn that did not close positively'),
  },
  {
    name: 'a conversation is summed up at each turn',
    file: core('verdict/context/verdict.ts'),
    line: 'room.compacted >= turnsBetween',
    becomes: 'room.compacted >= 0',
    test: coreTest('compaction', 'two compactions in a row'),
  },
  {
    name: 'a summary that fails is tried for ever (C4)',
    file: core('verdict/context/verdict.ts'),
    line: 'room.failures < compact.failuresMax &&',
    becomes: '',
    test: coreTest('compaction', 'after three in a row'),
  },
  {
    name: 'the meter does not know what was added (Q1)',
    file: core('verdict/context/room.ts'),
    line: 'room.last + room.out + tokensOf(room.bytes, room.bpt)',
    becomes: 'room.last + room.out',
    test: coreTest('meter', 'weighs what was added since'),
  },
  {
    name: 'a model has the window of another one',
    file: core('machine/step/turn.ts'),
    line: 'room: context.room && { ...context.room, window: 0 },',
    becomes: 'room: context.room,',
    test: coreTest('meter', 'for this model alone'),
  },
  {
    name: 'what is certain not to fit is sent (O2)',
    file: engine('perform/room.ts'),
    line: 'return tokens > window ? { tokens, window } : null',
    becomes: 'return null',
    test: engineTest('room', 'a request that cannot fit is not sent'),
  },
  {
    name: 'results that nobody has read are cleared where a summary is enough',
    file: core('verdict/context/verdict.ts'),
    line: 'if (compaction) return { pruning: null, compaction, window: learned }',
    becomes: '',
    test: coreTest('overflow', 'are not cleared where a summary'),
  },
  {
    name: 'a summary is asked for as of another conversation (B1)',
    file: engine('perform/compaction.ts'),
    line: '        ...cacheHints(task),\n',
    becomes: '',
    test: engineTest('compaction', 'a summary is asked for behind the request'),
  },
  {
    name: 'a cut leaves results behind without their call (Z2)',
    file: core('conversation/cuts.ts'),
    line: 'tell({ run: entry.at.run, seq: entry.at.seq - 1 })',
    becomes: 'tell({ run: entry.at.run, seq: entry.at.seq })',
  },
  {
    name: 'a turn that was stopped is shown to whoever sums up (B2, Z3)',
    file: engine('perform/compaction-prompt.ts'),
    line: 'if (clean === null) return prompt',
    becomes: 'if (clean !== -1) return prompt',
  },
  {
    name: 'a summary takes the place of what is as short (X3)',
    file: engine('perform/compaction.ts'),
    line: 'bytes * gainMin > part.bytes',
    becomes: 'bytes < 0',
    test: engineTest('compaction', 'no_gain'),
  },
  {
    name: 'who asks by hand pays for a summary of a summary (X3)',
    file: engine('perform/compaction.ts'),
    line: ' || (!effect.through && isLittle(part))',
    becomes: '',
    test: engineTest('compaction-odd', 'by hand, behind a summary and little more'),
  },
  {
    name: 'a turn that was stopped ends what a summary shares with the request too late (B2)',
    file: core('conversation/write.ts'),
    line: "if (written.messages.at(-1)?.role !== 'assistant')",
    becomes: '',
    test: coreTest('cut', 'is shown up to the first of them'),
  },
  {
    name: 'a run is summed up more often than its agent allows',
    file: core('verdict/context/verdict.ts'),
    line: 'room.compactions < compact.maxPerRun &&',
    becomes: '',
    test: coreTest('compaction', 'as many as the agent allows'),
  },
  {
    name: 'an answer that asks for calls is kept for a summary (X2)',
    file: engine('perform/compaction.ts'),
    line: "if (callsOf(turn).length > 0) return { reason: 'calls' }",
    becomes: '',
    test: engineTest('compaction', 'calls'),
  },
  {
    name: 'an answer that was cut off is kept for a summary (X1)',
    file: engine('perform/compaction.ts'),
    line: "return { reason: 'too_long' }\n    default:",
    becomes: 'return null\n    default:',
    test: engineTest('compaction', 'too_long'),
  },
  {
    name: 'what could be cleared is told by another rule (M1)',
    file: core('conversation/weights.ts'),
    line: 'if (words !== this.#rule) this.#known = new WeakMap()',
    becomes: '',
    test: coreTest('weights', 'holds for its rule alone'),
  },
  {
    name: 'what was cleared could be cleared again (M1)',
    file: core('conversation/weights.ts'),
    line: 'if (outputs[n] !== results.get(part.id)) return false',
    becomes: '',
    test: coreTest('weights', 'knows what was cleared'),
  },
  {
    name: 'a summary tells of what is behind its place (A1)',
    file: engine('perform/past.ts'),
    line: 'if (!folded || count < folded.events)',
    becomes: 'if (!folded)',
    test: engineTest('past', 'tells of the events up to a moment'),
  },
  {
    name: 'an overflow teaches the next turns nothing',
    file: engine('perform/transcript.ts'),
    line: 'if (mayTeach(event)) folded.overflows.push(event)',
    becomes: '',
    test: engineTest('room', 'an overflow teaches'),
  },
]
