/** A user brings a file, and gets one back. */
import type { Prompt } from '@signalbox/core'
import { z } from 'zod'
import { expect } from '../expect.ts'
import type { Scene, Stage } from '../scene.ts'

const agent = 'accountant'
const threadId = 'books'
const sales = { path: 'uploads/sales.csv', content: 'item,sold\nbell,12\nlamp,30\n' }
const report = { path: 'outputs/total.md', content: 'Sold in all: 42\n' }
/** A browser that showed this as a page would run it. */
const page = { path: 'outputs/page.html', content: '<script>alert(document.domain)</script>' }

export const filesScene: Scene = {
  title: 'A user brings a file, and gets one back',
  why: 'Files are part of the conversation: they come with a run, go with it, and each earlier moment has its own.',
  agents: (modelUrl) => ({
    [agent]: {
      model: { provider: 'openai-compatible', model: agent, baseURL: modelUrl },
      instructions: 'You keep books.',
      tools: ['workspace'],
    },
  }),
  scripts: {
    [agent]: (prompt, turn) => {
      if (turn === 0) return { calls: [{ name: 'read_file', args: { path: sales.path } }] }
      if (turn === 1)
        return {
          calls: [{ name: 'write_file', args: { path: report.path, content: totalOf(prompt) } }],
        }
      return { text: 'The total is in outputs/.', delayMs: 15, chunkSize: 6 }
    },
  },
  play,
}

/** The model knows what it has read, and nothing else. */
function totalOf(prompt: Prompt): string {
  const read = JSON.stringify(prompt.at(-1))
  const sold = [...read.matchAll(/,(\d+)/g)].map(([, n]) => Number(n))
  return `Sold in all: ${sold.reduce((sum, n) => sum + n, 0)}\n`
}

const Uploads = z.tuple([z.looseObject({ upload_id: z.string(), mime: z.string() })])
const Paths = z.array(z.looseObject({ path: z.string() }))
const Report = z.looseObject({ artifacts: z.array(z.object({ path: z.string() })) })
const State = z.looseObject({ checkpoint: z.looseObject({ checkpoint_id: z.string() }) })

async function play(stage: Stage): Promise<void> {
  const { print } = stage
  const paths = async (query = ''): Promise<string> =>
    Paths.parse(JSON.parse(await stage.get(`/threads/${threadId}/files${query}`)))
      .map(({ path }) => path)
      .join(', ')
  await stage.post('/threads', { thread_id: threadId })
  print.act(`POST /threads/${threadId}/uploads, a form with sales.csv`)
  const uploadId = await upload(stage)
  expect((await paths()) === '', 'an upload is a file of the thread before a run has named it')
  const input = { prompt: 'What did we sell in all?', files: [uploadId] }
  const { outcome, runId } = await stage.run({ agent, threadId, input }).ended
  print.outcome(outcome)
  expect(outcome === 'completed', `the outcome is ${outcome}, not completed`)
  const both = `${report.path}, ${sales.path}`
  expect((await paths()) === both, `the files of the thread are ${await paths()}`)
  print.met('the upload was no file before the run named it, and is one from there on')
  const { artifacts } = Report.parse(JSON.parse(await stage.get(`/runs/${runId}/report`)))
  expect(
    artifacts.some(({ path }) => path === report.path),
    'the report names no artifact',
  )
  const got = await stage.get(`/threads/${threadId}/files/${report.path}`)
  expect(got === report.content, `${report.path} says: ${got}`)
  print.met(`the report of the run names ${report.path}: ${got.trim()}`)
  await playLater(stage, { paths, both })
}

/** A file that is written by hand is a moment of its own: the checkpoint before does not have it. */
async function playLater(
  stage: Stage,
  { paths, both }: { readonly paths: (query?: string) => Promise<string>; readonly both: string },
): Promise<void> {
  const { print } = stage
  const state = State.parse(JSON.parse(await stage.get(`/threads/${threadId}/state`)))
  const at = `/threads/${threadId}/files/${page.path}`
  print.act(`PUT ${at}, a page with a script`)
  const put = await stage.ask(at, { method: 'PUT', body: page.content })
  expect(put.status === 201, `PUT answered ${put.status}, not 201`)
  expect((await paths()) === `${page.path}, ${both}`, 'what was written by hand is not there')
  const before = await paths(`?at=${state.checkpoint.checkpoint_id}`)
  expect(before === both, `the checkpoint before has ${before}`)
  print.met('the checkpoint before does not have what was written by hand behind it')
  const { headers } = await stage.ask(at, {})
  const [type, how] = [headers.get('content-type'), headers.get('content-disposition')]
  expect(type?.startsWith('text/plain') === true, `a page comes back as ${type}`)
  expect(how?.startsWith('attachment') === true, 'a page comes back as no attachment')
  print.met('a page with a script comes back as text, as an attachment: no browser runs it')
}

async function upload(stage: Stage): Promise<string> {
  const form = new FormData()
  form.append('files', new Blob([sales.content]), 'sales.csv')
  const sent = await stage.ask(`/threads/${threadId}/uploads`, { method: 'POST', body: form })
  expect(sent.status === 201, `the upload answered ${sent.status}, not 201`)
  const [{ upload_id }] = Uploads.parse(await sent.json())
  return upload_id
}
