/** The provider's filter strikes in the middle of a tool call. */
import { expect } from '../expect.ts'
import type { Scene, Stage } from '../scene.ts'

const agent = 'analyst'

/** The stream is cut in the middle of this, inside of a sentence. */
const content =
  '# 新能源汽车市场季度报告\n\n一、概述\n\n本季度新能源汽车市场保持快速增长，全国销量同比上升百分之三十七，' +
  '其中华东地区贡献了近一半的增量。随着充电网络继续向县城延伸，消费者对续航的担忧明显减少，' +
  '二线城市的订单首次超过一线城市。\n\n二、风险\n\n原材料价格在九月出现反弹，'

/** Pieces of this many characters are looked for: short enough that no sentence slips through. */
const pieceChars = 6

export const cutScene: Scene = {
  title: 'The provider filters the answer in the middle of write_file',
  why: 'DeerFlow #3028: a Chinese report cut mid-sentence. A half-written call must never run, nor be kept.',
  agents: (modelUrl) => ({
    [agent]: {
      model: { provider: 'openai-compatible', model: agent, baseURL: modelUrl },
      instructions: '你是市场分析师，负责撰写报告。',
      tools: ['workspace'],
    },
  }),
  scripts: {
    [agent]: () => ({
      text: '好的，我现在把报告写入文件。',
      calls: [{ name: 'write_file', args: { path: 'market.md', content } }],
      ending: 'content_filter',
      delayMs: 15,
      chunkSize: 6,
    }),
  },
  play,
}

async function play(stage: Stage): Promise<void> {
  const run = await stage.run({ agent, input: '请写一份季度报告，保存到 market.md。' }).ended
  stage.print.outcome(run.outcome)
  expect(run.outcome === 'safety_stopped', `the outcome is ${run.outcome}, not safety_stopped`)
  const verdicts = run.events.filter(({ type }) => type === 'safety.suppressed')
  expect(verdicts.length === 1, `there are ${verdicts.length} safety.suppressed events, not one`)
  stage.print.met('safety.suppressed is in the log, once; who reads the thread is told:')
  stage.print.aside(`     ${String(verdicts[0]?.payload['explanation'])}`)
  const ran = run.events.some(({ type, tool }) => type === 'effect.started' && tool !== null)
  expect(!ran, 'the call that was cut has run')
  expect((await stage.files('market.md')).length === 0, 'market.md was written')
  stage.print.met('no tool ran, and market.md does not exist')
  const audited = await stage.get(`/runs/${run.runId}/events?limit=1000`)
  const leaked = pieces(content).find((it) => run.transcript.includes(it) || audited.includes(it))
  expect(leaked === undefined, 'arguments of the call that was cut are in the log')
  stage.print.met('of the arguments that had arrived, not a word is in the stream or in the log')
}

const pieces = (text: string): readonly string[] =>
  Array.from({ length: text.length - pieceChars + 1 }, (_, at) => text.slice(at, at + pieceChars))
