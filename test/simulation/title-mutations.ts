/** Safety lines of titles, as in `mutations.ts`. Many are lines that no seed can tell: what a thread is called decides nothing. */
import type { GuardingTest, Mutation } from './mutations.ts'

const core = (file: string): string => `packages/core/src/${file}`
const engine = (file: string): string => `packages/engine/src/${file}`
const memory = (file: string): string => `packages/testing/src/memory/${file}`

const inCore = (name: string): GuardingTest => ({ file: 'packages/core/test/titles.test.ts', name })
const inEngine = (name: string): GuardingTest => ({
  file: 'packages/engine/test/titles.test.ts',
  name,
})
const inBoth = (name: string): GuardingTest => ({ file: 'test/contract/titles.test.ts', name })

export const titleMutations: readonly Mutation[] = [
  {
    name: 'a model names what did not complete (N1 of titles)',
    file: core('machine/title.ts'),
    line: "if (outcome !== 'completed') return null",
    becomes: '',
  },
  {
    name: 'a run names a thread that it has nothing to do with (N1 of titles)',
    file: core('machine/title.ts'),
    line: 'if (title === 0 || config === undefined) return null',
    becomes: 'if (config === undefined) return null',
  },
  {
    name: 'words that were refused stay the title (N1 of titles)',
    file: core('machine/title.ts'),
    line: "if (untold.includes(outcome)) return isOwn ? 'untitled' : null",
    becomes: '',
    test: inCore('nothing is told, and no model is asked'),
  },
  {
    name: 'the first words are not kept with the run',
    file: engine('create-run.ts'),
    line: '...(titled && titled.notes.length > 0 ? { notes: titled.notes } : {}),',
    becomes: '',
    test: inEngine('by the first words at once'),
  },
  {
    name: 'an agent without titles reads that of each thread',
    file: engine('title-thread.ts'),
    line: 'if (definition.title === undefined || parent || rerun || edit || compact) return null',
    becomes: 'if (parent || rerun || edit || compact) return null',
    test: inEngine('by an agent that gives no titles'),
  },
  {
    name: 'a model is asked over the title of a person',
    file: engine('perform/title.ts'),
    line: "if (title.by !== 'words') return 'titled'",
    becomes: '',
    test: inEngine('while the run goes on'),
  },
  {
    name: 'a deleted run is told of',
    file: engine('perform/title.ts'),
    line: "if (!title || isHidden) return 'gone'",
    becomes: "if (!title) return 'gone'",
    test: inEngine('a run that was deleted meanwhile'),
  },
  {
    name: 'the first words pass no guardrail',
    file: engine('perform/guarded-words.ts'),
    line: 'if (guard === null) return titleOfWords(texts, files)',
    becomes: 'return titleOfWords(texts, files)',
    test: inEngine('words that a guardrail takes out'),
  },
  {
    name: 'a title passes no guardrail',
    file: engine('perform/title.ts'),
    line: 'guard: streamGuardOf(deps.guardrails, agent, { correction: 0 }),',
    becomes: 'guard: null,',
    test: inEngine('the stream guardrails of the agent are given to the call'),
  },
  {
    name: 'a title is not judged as it is shown',
    file: engine('perform/title.ts'),
    line: "return objection === null ? found : { reason: 'guardrail', ...objection }",
    becomes: 'return found',
    test: inEngine('a guardrail that objects to the title as it is shown'),
  },
  {
    name: 'first words are not judged as a title shows them',
    file: engine('perform/guarded-words.ts'),
    line: 'return objectionTo(guardrails, agent, title) === null ? title : untitled',
    becomes: 'return title',
    test: inEngine('a word that only the title shows is judged'),
  },
  {
    name: 'a model that cannot be held to a form names nothing',
    file: engine('perform/title.ts'),
    line: "if (turn.error?.class !== 'invalid_request') return answered(turn)",
    becomes: 'return answered(turn)',
    test: inEngine('asked for words, once'),
  },
  {
    name: 'a model that answers no title is well',
    file: engine('perform/title.ts'),
    line: "if (!turn) return hasAnswered ? 'ok' : 'failed'",
    becomes: "if (!turn) return 'ok'",
    test: { file: 'packages/engine/test/title-breaker.test.ts', name: 'one that never answers' },
  },
  {
    name: 'what a guardrail took something out of is a title',
    file: engine('perform/title.ts'),
    line: "if (guardrail) return { reason: 'guardrail', guardrail }",
    becomes: '',
    test: inEngine('a guardrail of the agent that objects'),
  },
  {
    name: 'a stream without end is waited for',
    file: engine('perform/title.ts'),
    line: 'if (chars > limits.titleStreamCharsMax) cap.abort()',
    becomes: '',
    test: inEngine('a stream without end is cut off'),
  },
  {
    name: 'a model takes the title of a person away',
    file: memory('titles.ts'),
    line: "stands.by === 'words' && (stands.runId === runId || !isOfCompleted(tables, stands))",
    becomes: 'stands.runId === runId || !isOfCompleted(tables, stands)',
  },
  {
    name: 'a run that had its turn names the thread again',
    file: memory('titles.ts'),
    line: "stands.by === 'words' && (stands.runId === runId || !isOfCompleted(tables, stands))",
    becomes: "stands.by === 'words'",
    test: inBoth('that could not be made leave what there is'),
  },
]
