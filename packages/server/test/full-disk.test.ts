/**
 * A Postgres whose disk is full, on a small file system of the test's own. Would catch: a 500, a health that says all is well, a run
 * that was acknowledged and is lost, a server that stays down after there is room again.
 */
import { execFileSync } from 'node:child_process'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ConfigInput } from '@signalbox/server'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { call, eventually } from './support/http.ts'
import { startTest } from './support/signalbox.ts'

let dir: string
const mounted = ((): boolean => {
  if (process.getuid?.() !== 0 || process.platform !== 'linux') return false
  try {
    const probe = execFileSync('mktemp', ['-d'], { encoding: 'utf8' }).trim()
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'none', probe], { stdio: 'ignore' })
    execFileSync('umount', [probe])
    execFileSync('rmdir', [probe])
    return true
  } catch {
    return false
  }
})()
const why = mounted ? '' : ' (skipped: only root may mount a small file system)'

const config: ConfigInput = {
  server: { graceMs: 1000 },
  agents: { clerk: { model: { provider: 'scripted', model: 'clerk' } } },
  scripts: { clerk: () => ({ text: 'Done.' }) },
}

describe.skipIf(!mounted)(`a full disk${why}`, () => {
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'signalbox-full-'))
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=160m,mode=755', 'none', dir])
    await chmod(dir, 0o755)
  })
  afterAll(async () => {
    if (!mounted) return
    execFileSync('umount', ['--lazy', dir])
    await rm(dir, { recursive: true, force: true })
  })

  it('is said with 503, and everything goes on when there is room again', async () => {
    const dataDir = join(dir, 'data')
    execFileSync('mkdir', [dataDir])
    const box = await startTest(config, { dataDir, embedded: true })
    try {
      const filler = join(dir, 'filler')
      // To the last block, again and again: what Postgres gives back is filled as well.
      const fill = async () => {
        for (const block of [Buffer.alloc(1 << 20, 1), Buffer.alloc(4096, 1)])
          for (let room = true; room;)
            room = await writeFile(filler, block, { flag: 'a' }).then(
              () => true,
              () => false,
            )
      }
      const acknowledged: string[] = []
      const seen = { refusal: '', illness: '' }
      await eventually(async () => {
        await fill()
        const input = 'x'.repeat(200_000)
        const body = { assistant_id: 'clerk', input }
        const answer = await call(box.api, 'POST', '/runs', { body })
        if (answer.status === 200) acknowledged.push(answer.body.run_id)
        else {
          seen.refusal = `${answer.status} ${answer.body.code}`
          const ready = await call(box.api, 'GET', '/ready')
          if (ready.status === 503) seen.illness = ready.body.code
        }
        return seen.refusal !== '' && seen.illness !== ''
      }, 90_000)
      expect(seen.refusal).toMatch(/^503 register_/)
      expect(seen.illness).toMatch(/^register_/)
      expect((await call(box.api, 'GET', '/live')).status).toBe(200)

      await rm(filler)
      await eventually(async () => (await call(box.api, 'GET', '/ready')).status === 200)
      const last = await call(box.api, 'POST', '/runs', {
        body: { assistant_id: 'clerk', input: 'x' },
      })
      expect(last.status).toBe(200)
      for (const run of [...acknowledged, last.body.run_id])
        expect((await call(box.api, 'GET', `/runs/${run}/join`)).body).toMatchObject({
          outcome: 'completed',
        })
    } finally {
      await box.stop()
    }
  })
})
