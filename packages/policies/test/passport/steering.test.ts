/**
 * Every variable and file of the list does steer a program that somebody allowed, shown by running it in a folder of its own,
 * and no passport with a list of commands lets it be set or written.
 */
import { spawnSync } from 'node:child_process'
import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { evaluatePassport } from '../../src/passport/evaluate-passport.ts'
import { startingFiles, variables } from './corpora/steering.ts'
import { passport, request, spec, verdictOf } from './passports.ts'

const has = (program: string): boolean =>
  (process.env['PATH'] ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK)
      return true
    } catch {
      return false
    }
  })

const real = (name: string, folder: string): Record<string, string> => {
  const path = process.env[name] ?? join(homedir(), folder)
  return existsSync(path) ? { [name]: path } : {}
}

interface Folder {
  readonly put: (path: string, content: string) => void
  readonly run: (text: string) => void
  readonly text: (text: string) => string
  readonly isProven: () => boolean
}

/** A folder of its own, which is the home, too, with a program in it that leaves a proof. */
function inFolder<T>(work: (folder: Folder) => T): T {
  const root = mkdtempSync(join(tmpdir(), 'steering-'))
  const proof = join(root, 'proof')
  const evil = join(root, 'evil-program')
  const cwd = join(root, 'work')
  const text = (each: string): string => each.replaceAll('EVIL', evil).replaceAll('PROOF', proof)
  const put = (path: string, content: string): void => {
    const file = join(cwd, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text(content))
    chmodSync(file, 0o755)
  }
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: cwd,
    TERM: 'xterm',
    ...real('PYENV_ROOT', '.pyenv'),
    ...real('RUSTUP_HOME', '.rustup'),
  }
  const run = (command: string): void => {
    spawnSync('/bin/sh', ['-c', text(command)], { cwd, env, timeout: 60_000, stdio: 'ignore' })
  }
  try {
    mkdirSync(cwd)
    writeFileSync(evil, `#!/bin/sh\n: > '${proof}'\n`)
    chmodSync(evil, 0o755)
    return work({ put, run, text, isProven: () => existsSync(proof) })
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}

const lacking = (needs: readonly string[]): string | undefined => needs.find((each) => !has(each))

const limited = (programs: readonly string[]) =>
  spec(
    passport({
      'system.command.execute': { allowed_commands: programs },
      'data.file.write': { allowed_paths: ['*'] },
    }),
  )
const anyProgram = [
  'git',
  'npm',
  'node',
  'make',
  'gcc',
  'cargo',
  'java',
  'curl',
  'tar',
  'perl',
  'python3',
  'ls',
]

test('at least forty variables and files are tried', () => {
  const tried = [...variables, ...startingFiles].filter(({ needs }) => lacking(needs) === undefined)
  expect(variables.length + startingFiles.length).toBeGreaterThanOrEqual(60)
  // A machine for builds has these; on one that lacks some, fewer can be tried.
  const isUsual = ['git', 'node', 'npm', 'python3', 'perl', 'gcc', 'make'].every(has)
  expect(tried.length).toBeGreaterThanOrEqual(isUsual ? 40 : 0)
})

test.for(variables)(
  'the variable $name steers, and cannot be set',
  { timeout: 120_000 },
  (each, { skip }) => {
    const { name, value, needs, command, files = {}, setup = 'true' } = each
    for (const text of [`${name}='${value.replaceAll("'", `'\\''`)}' ls`, `export ${name}=x; ls`]) {
      const asked = request('bash', { command: text })
      expect(verdictOf(evaluatePassport(limited([...anyProgram, 'export']), asked))).not.toBe(
        'allow',
      )
    }
    const asked = request('bash', { command: 'ls', env: { [name]: value } })
    expect(verdictOf(evaluatePassport(limited(anyProgram), asked))).toBe('oap.env_var_blocked')
    const missing = lacking(needs)
    if (missing !== undefined) skip(`${missing} is not installed here`)
    for (const steered of [false, true])
      inFolder((folder) => {
        for (const [path, content] of Object.entries(files)) folder.put(path, content)
        folder.run(setup)
        expect(folder.isProven()).toBe(false)
        const quoted = `'${value.replaceAll("'", `'\\''`)}'`
        folder.run(steered ? `export ${name}=${quoted}; ${command}` : command)
        expect(folder.isProven()).toBe(steered)
      })
  },
)

test.for(startingFiles)(
  'the file $path steers, and cannot be written',
  { timeout: 120_000 },
  (each, { skip }) => {
    const { path, content, needs, command, files = {}, setup = 'true' } = each
    const written = request('write_file', { path, content: 'x' })
    expect(verdictOf(evaluatePassport(limited([]), written))).not.toBe('allow')
    for (const text of [`echo x > ${path}`, `cp x ${path}`, `cat x | tee -a ./src/../${path}`]) {
      const asked = request('bash', { command: text })
      const programs = limited(['echo', 'cp', 'cat', 'tee'])
      expect(verdictOf(evaluatePassport(programs, asked))).not.toBe('allow')
    }
    const missing = lacking(needs)
    if (missing !== undefined) skip(`${missing} is not installed here`)
    for (const steered of [false, true])
      inFolder((folder) => {
        for (const [name, text] of Object.entries(files)) folder.put(name, text)
        folder.run(setup)
        if (steered) folder.put(path, content)
        expect(folder.isProven()).toBe(false)
        folder.run(command)
        expect(folder.isProven()).toBe(steered)
      })
  },
)
