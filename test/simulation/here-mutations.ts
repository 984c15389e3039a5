/** Safety lines of plans and questions, which settle in the decision, as in `mutations.ts`. */
import type { GuardingTest, Mutation } from './mutations.ts'

const core = (file: string): string => `packages/core/src/${file}`
const engine = (file: string): string => `packages/engine/src/${file}`

const ofPlans = (name: string): GuardingTest => ({ file: 'packages/core/test/todos.test.ts', name })
const ofQuestions = (name: string): GuardingTest => ({
  file: 'packages/core/test/questions.test.ts',
  name,
})
const overHttp = (name: string): GuardingTest => ({
  file: 'packages/server/test/questions.test.ts',
  name,
})

const planMutations: readonly Mutation[] = [
  {
    name: 'of two lists of a turn the last one stands',
    file: core('machine/step/todos.ts'),
    line: 'if (judgements.filter(isWrite).length < 2) return judgements',
    becomes: 'return judgements',
    test: ofPlans('two lists of one turn'),
  },
  {
    name: 'a list that is none is written',
    file: core('machine/step/todos.ts'),
    line: "todoToolName, engineDenial('invalid_arguments', read.message))]",
    becomes: "todoToolName, engineDenial('denied_tool', read.message))]",
    test: ofPlans('bad lists are denied, and the model reads why'),
  },
  {
    name: 'a model is reminded of its plan for ever',
    file: core('verdict/todo/verdict.ts'),
    line: 'counts.todosReminded < limits.todoRemindersMax &&',
    becomes: '',
    test: ofPlans('twice at most'),
  },
  {
    name: 'a reminder takes a turn that the run does not have',
    file: core('verdict/todo/verdict.ts'),
    line: '  turnBudget(agent, counts) === null\n',
    becomes: '  true\n',
    test: ofPlans('no reminder without a turn to answer it in'),
  },
]

const questionMutations: readonly Mutation[] = [
  {
    name: 'a question is asked of nobody',
    file: core('machine/step/questions.ts'),
    line: 'if (context.unattended > 0)',
    becomes: 'if (context.unattended > 1)',
    test: ofQuestions('a run in which nobody is there asks nobody'),
  },
  {
    name: 'a turn asks as much as it likes',
    file: core('machine/step/questions.ts'),
    line: 'return asked <= limits.questionsPerTurnMax',
    becomes: 'return asked <= 99',
    test: ofQuestions('a fifth is denied'),
  },
  {
    name: 'a rerun asks a person once more',
    file: core('machine/step/here.ts'),
    line: 'if (spec.name === questionToolName && context.rerun) return null',
    becomes: '',
    test: ofQuestions('a rerun asks nobody'),
  },
  {
    name: 'the model goes on although a question is open',
    file: core('machine/guards.ts'),
    line: 'noneJudged(args) && noneAsked(args) && someQuestioned(args)',
    becomes: 'false',
    test: ofQuestions('waits in `input`'),
  },
  {
    name: 'the time of a question that was answered goes on',
    file: core('machine/step/questions.ts'),
    line: 'emission: { clearTimers: [questionTimer(event.fact.payload.callId)] },',
    becomes: 'emission: {},',
    test: ofQuestions('the same run goes on with the answer'),
  },
  {
    name: 'an answer after the time of its question is taken',
    file: engine('answer-input.ts'),
    line: "if (events.some((event) => isAbout(event, 'input.expired', callId))) return { code: 'expired' }",
    becomes: '',
    test: overHttp('expires, and is not answered any more'),
  },
  {
    name: 'an answer that fits no option is taken',
    file: core('verdict/question/answer.ts'),
    line: 'option !== undefined && options.includes(option)',
    becomes: 'option !== undefined',
    test: overHttp('a question'),
  },
  {
    name: 'another answer than the one that stands is told to be the same',
    file: engine('answer-input.ts'),
    line: "return { code: 'conflict' }",
    becomes: "return { code: 'already' }",
    test: overHttp('of 20 answers at once one counts'),
  },
]

/** All of them. */
export const hereMutations: readonly Mutation[] = [...planMutations, ...questionMutations]
