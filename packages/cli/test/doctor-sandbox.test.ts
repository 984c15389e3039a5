/** `doctor` where commands are executed: what the sandbox can do here, what it is not, and what to type. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type Ended, signalbox } from './support/command.ts'
import { createFolder } from './support/folder.ts'

async function doctor(use: string, env: Readonly<Record<string, string>> = {}): Promise<Ended> {
  const { dir, remove } = await createFolder()
  onTestFinished(remove)
  await writeFile(
    join(dir, 'signalbox.config.ts'),
    `import { defineConfig } from 'signalbox'
export default defineConfig({
  agents: { worker: { model: { provider: 'openai', model: 'gpt-x' }, tools: ['bash'] } },
  sandbox: { use: '${use}' },
})
`,
  )
  return signalbox(['doctor'], { cwd: dir, env: { OPENAI_API_KEY: 'a-key', ...env } })
}

describe('doctor, of a sandbox', () => {
  it('says of virtual that it works, and that it is no boundary against hostile code', async () => {
    const { code, stdout } = await doctor('virtual')
    expect(code).toBe(0)
    expect(stdout).toMatch(/warn +sandbox +virtual: .*no boundary against hostile code/)
  })

  it('§18.19 says of bubblewrap that is not there what is missing, and what to type', async () => {
    const { code, stdout } = await doctor('bubblewrap', { PATH: '/nowhere' })
    expect(code).toBe(1)
    expect(stdout).toMatch(/fail +sandbox +bubblewrap: .*(bwrap.* not installed|needs Linux)/)
    expect(stdout).toMatch(/→ (apt-get install bubblewrap|Set sandbox\.use to "virtual")/)
  })
})
