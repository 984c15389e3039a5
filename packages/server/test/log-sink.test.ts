/** A log that cannot be written. Would catch: a process that dies of its log, stands still for it, or says nothing of what is missing. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { open } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { createLog } from '../src/observe/log.ts'

const entry = new URL('../src/observe/log.ts', import.meta.url).href
/** Logs for a while, then says on standard error that it still lives. */
const program = `
  import { createLog } from ${JSON.stringify(entry)}
  const log = createLog({ level: 'info', secrets: [] })
  let dropped = 0
  log.onDropped?.((lines) => (dropped += lines))
  for (let n = 0; n < 30; n++) {
    log.info('a line', { n })
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  process.stderr.write('alive ' + dropped)
`

/** Exit code and standard error of the program, with this standard output. */
async function run(stdout: number | 'pipe'): Promise<{ code: unknown; said: string }> {
  const child = spawn(
    process.execPath,
    ['--no-warnings', '--input-type=module', '--eval', program],
    {
      stdio: ['ignore', stdout, 'pipe'],
    },
  )
  // Whoever read it has gone.
  child.stdout?.destroy()
  let said = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (said += text))
  const [code] = await once(child, 'close')
  return { code, said }
}

const skip = !existsSync('/dev/full')

describe('a log that cannot be written', () => {
  it.skipIf(skip)(
    `on a full disk costs its lines, not the process${skip ? ' (skipped: no /dev/full)' : ''}`,
    async () => {
      const full = await open('/dev/full', 'w')
      expect(await run(full.fd)).toEqual({ code: 0, said: 'alive 30' })
      await full.close()
    },
  )

  it('whose reader has gone costs its lines, not the process', async () => {
    const { code, said } = await run('pipe')
    expect(code).toBe(0)
    expect(said).toMatch(/^alive (2\d|30)$/)
  })

  it('says how many lines are missing once it can be written again, on whole lines', async () => {
    let [room, written] = [40, '']
    const write = (bytes: Uint8Array): number => {
      if (room === 0) throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
      const some = bytes.subarray(0, room)
      written += Buffer.from(some).toString()
      room -= some.length
      return some.length
    }
    const log = createLog({ level: 'info', secrets: [], write })
    for (const n of [1, 2, 3]) log.info('lost', { n })
    let dropped = 0
    log.onDropped((lines) => (dropped += lines))
    log.info('lost', { n: 4 })
    expect(dropped).toBe(4)
    room = Infinity
    await new Promise((resolve) => setTimeout(resolve, 1100))
    log.info('kept')
    log.info('kept')
    const [cut, ...whole] = written.trimEnd().split('\n')
    expect(cut).toHaveLength(40)
    expect(whole.map((line) => JSON.parse(line).msg)).toEqual([
      'kept',
      'lines of the log were dropped',
      'kept',
    ])
    expect(JSON.parse(whole[1] ?? '').lines).toBe(4)
  })

  it('is waited for a moment when its reader is slow', () => {
    let refusals = 3
    let written = 0
    const write = (bytes: Uint8Array): number => {
      if (refusals-- > 0) throw Object.assign(new Error('try again'), { code: 'EAGAIN' })
      written += 1
      return bytes.length
    }
    const log = createLog({ level: 'info', secrets: [], write })
    log.info('late')
    expect(written).toBe(1)
    refusals = Infinity
    const began = performance.now()
    for (let n = 0; n < 1000; n += 1) log.info('dropped')
    expect(performance.now() - began).toBeLessThan(1000)
  })
})
