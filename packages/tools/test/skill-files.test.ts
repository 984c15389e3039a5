/**
 * The files of skills beside those of a thread, for the file tools (context-systems §9). Would catch: a file of a skill that is not loaded, one that a
 * tool writes, one of the thread that passes for one of a skill, and a skill that is loaded by a tool of the user.
 */
import type { CallSkills } from '@signalbox/engine'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { defineTool } from '../src/index.ts'
import { callTool, hostFor, outputOf, temporaryDirectory, textOf } from './hosting.ts'
import { skillsOf } from './skill-tools.ts'
import { snapshotStore } from './snapshot-store.ts'

const pdf = { files: { 'references/form.md': 'Fill it.', 'scripts/a.sh': 'echo a' } }
const csv = { files: {} }
const known = { csv, pdf }

const peek = defineTool({
  name: 'peek',
  description: 'Reads a file of the workspace.',
  input: z.object({ path: z.string() }),
  async run({ path }, { workspace }) {
    const read = await workspace.readFile(path)
    return read.ok ? read.value : read.message
  },
})

const kinds = [
  ['snapshots', async () => ({ snapshots: true })],
  ['a directory', async () => ({ workspaceRoot: await temporaryDirectory() })],
] as const

describe.each(kinds)('files of skills beside those of %s', (_, optionsOf) => {
  const open = async (skills: CallSkills | undefined = skillsOf(known, ['pdf'])) => {
    const host = hostFor({ ...(await optionsOf()), tools: [peek] })
    const files = snapshotStore().files([])
    const outcome = (name: string, args: Record<string, string>) =>
      callTool(host, name, { args, files, ...(skills ? { skills } : {}) })
    const say = async (name: string, args: Record<string, string>) => {
      const output = outputOf(await outcome(name, args))
      return `${output.isError ? 'error: ' : ''}${textOf(output)}`
    }
    return { outcome, say, read: (path: string) => say('read_file', { path }) }
  }

  it('are listed with them', async () => {
    const { say } = await open()
    expect(await say('ls', { path: '.' })).toBe('skills/')
    expect(await say('ls', { path: 'skills' })).toBe('csv/\npdf/')
    expect(await say('ls', { path: './skills//pdf/' })).toMatch(
      /^SKILL.md \(\d+ bytes\)\nreferences\/\nscripts\/$/,
    )
    expect(await say('ls', { path: 'skills/pdf/references' })).toBe('form.md (8 bytes)')
    expect(await say('ls', { path: 'skills/csv' })).toMatch(/^SKILL.md \(\d+ bytes\)$/)
    expect(await say('ls', { path: 'skills/pdf/SKILL.md' })).toContain('That is a file.')
    expect(await say('ls', { path: 'skills/xml' })).toContain('no such file')
    expect(await say('ls', { path: 'skills/pdf/nothing' })).toContain('no such file')
  })

  it('are read where their skill is loaded, and none but SKILL.md where it is not', async () => {
    const { read } = await open()
    expect(await read('skills/pdf/references/form.md')).toBe('Fill it.')
    expect(await read('skills/pdf/references')).toContain('That is a directory.')
    expect(await read('skills/pdf')).toContain('That is a directory.')
    expect(await read('skills')).toContain('That is a directory.')
    expect(await read('skills/pdf/nothing.md')).toContain('no such file')
    expect(await read('skills/pdf/../csv/SKILL.md')).toContain('must not contain ".."')
    const other = await open(skillsOf(known))
    expect(await other.read('skills/pdf/SKILL.md')).toContain('How to pdf.')
    for (const path of ['skills/pdf/references/form.md', 'skills/pdf/nothing.md'])
      expect(await other.read(path)).toBe(
        `error: ${path}: The skill "pdf" is not loaded: load it, or read skills/pdf/SKILL.md.`,
      )
    expect(await other.say('ls', { path: 'skills/pdf' })).not.toContain('references')
  })

  it('are changed by no tool, nor is anything put beside them', async () => {
    const { say } = await open()
    const readOnly = 'What stands below skills/ cannot be changed.'
    for (const path of ['skills/pdf/SKILL.md', 'skills/new.txt', './skills/pdf/x', 'skills'])
      expect(await say('write_file', { path, content: 'x' })).toContain(readOnly)
    const edit = { path: 'skills/pdf/SKILL.md', oldText: 'How', newText: 'No' }
    expect(await say('str_replace', edit)).toContain(readOnly)
    expect(await say('write_file', { path: 'skills.md', content: 'x' })).toContain('Created')
  })

  it('SKILL.md loads the skill whose it is, by read_file alone', async () => {
    const { outcome } = await open()
    const skillOf = async (name: string, args: Record<string, string>) => {
      const read = await outcome(name, args)
      return read.status === 'completed' ? read.skill : read.status
    }
    expect(await skillOf('read_file', { path: 'skills/csv/SKILL.md' })).toBe('csv')
    expect(await skillOf('read_file', { path: './skills/csv//SKILL.md' })).toBe('csv')
    expect(await skillOf('read_file', { path: 'skills/pdf/references/form.md' })).toBeUndefined()
    expect(await skillOf('read_file', { path: 'skills/xml/SKILL.md' })).toBeUndefined()
    expect(await skillOf('ls', { path: 'skills/csv' })).toBeUndefined()
    expect(await skillOf('peek', { path: 'skills/csv/SKILL.md' })).toBeUndefined()
  })

  it('are gone where nobody has them any more', async () => {
    const { say, read } = await open({ ...skillsOf(known, ['pdf']), bundle: async () => null })
    expect(await read('skills/pdf/SKILL.md')).toContain('not there any more')
    expect(await say('ls', { path: 'skills/pdf' })).toContain('not there any more')
    expect(await say('ls', { path: 'skills' })).toBe('csv/\npdf/')
  })

  it('are none for a run without skills: its own files may stand there', async () => {
    const host = hostFor(await optionsOf())
    const files = snapshotStore().files([])
    const args = { path: 'skills/own.txt', content: 'x' }
    const written = await callTool(host, 'write_file', { args, files })
    expect(textOf(outputOf(written))).toContain('Created')
    expect(written).not.toHaveProperty('skill')
  })
})
