/**
 * Every example of the repository, copied to where a user would have it, with the packed package in its `node_modules`: it type-checks, and its
 * own tests pass. Would catch: an example that was forgotten when the package changed, a test helper that works in the repository alone.
 */
import { cpSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { expectOk, type Installed, installPacked, root, runThere } from './packed.ts'

let installed: Installed
beforeAll(() => {
  installed = installPacked()
}, 300_000)
afterAll(() => rmSync(installed.place, { recursive: true, force: true }))

const examples = readdirSync(join(root, 'examples'))

function copyOf(example: string, as = example): string {
  const folder = join(installed.place, as)
  cpSync(join(root, 'examples', example), folder, { recursive: true })
  symlinkSync(join(installed.app, 'node_modules'), join(folder, 'node_modules'))
  return folder
}

it('there is an example', () => expect(examples).toContain('payments'))

describe.each(examples)('the example %s', (example) => {
  let folder: string
  beforeAll(() => {
    folder = copyOf(example)
  })

  it('asks for the package in the version that there is', () => {
    const { dependencies } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    const { version } = JSON.parse(
      readFileSync(join(installed.app, 'node_modules/signalbox/package.json'), 'utf8'),
    )
    expect(dependencies.signalbox).toBe(`^${version}`)
  })

  it('type-checks', () => {
    const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
    const types = ['--typeRoots', join(root, 'node_modules', '@types')]
    expectOk(folder, process.execPath, [tsc, '-p', '.', ...types])
  })

  it('passes its own tests', () => {
    expect(expectOk(folder, 'npm', ['test'])).toMatch(/pass [1-9]/)
  })
})

describe('the tests of an example', () => {
  it('fail when its passport allows more, and say what the run did', () => {
    const folder = copyOf('payments', 'payments-without-limits')
    const file = join(folder, 'src', 'passport.ts')
    const passport = readFileSync(file, 'utf8')
    const wider = passport.replaceAll('50_000', '9_000_000').replaceAll('200_000', '9_000_000')
    expect(wider).not.toBe(passport)
    writeFileSync(file, wider)
    const { status, stdout } = runThere(folder, 'npm', ['test'])
    expect(status).toBe(1)
    expect(stdout).toContain('Expected charge_card to be denied by passport (oap.limit_exceeded)')
    expect(stdout).toContain('charge_card waits for a person to approve it')
  })
})

describe('the installed package', () => {
  it('shows the demo, which ends with three lines that make an agent', () => {
    const folder = join(installed.place, 'newcomer')
    expectOk(installed.place, 'mkdir', [folder])
    writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }\n')
    symlinkSync(join(installed.app, 'node_modules'), join(folder, 'node_modules'))
    const said = expectOk(folder, 'npx', ['signalbox', 'demo'])
    expect(said).toMatch(/chains verified: 14 runs, \d{3} events/)
    const lines = said.trimEnd().split('\n').slice(-3)
    expect(lines).toEqual(Array.from({ length: 3 }, () => expect.stringMatching(/^npx signalbox /)))
    // The last of them serves until it is interrupted.
    const [init = '', run = ''] = lines
    expectOk(folder, 'bash', ['-c', init])
    expect(expectOk(folder, 'bash', ['-c', run])).toMatch(
      /Words in your message: 6\.\ncompleted\n$/,
    )
  }, 240_000)
})
