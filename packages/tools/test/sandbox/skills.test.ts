/**
 * Skills in commands, on both adapters (context-systems §9, §19 skills 4). Would catch: a file of a skill that a command changes, one that stays among
 * the files of the thread, a secret of a skill that is not loaded, and one that an output or a file tells.
 */
import { existsSync, readdirSync } from 'node:fs'
import { chmod } from 'node:fs/promises'
import type { FileEvent } from '@signalbox/core'
import type { CallSkills } from '@signalbox/engine'
import { describe, expect, it } from 'vitest'
import { callTool, errorOf, hostFor, outputOf, temporaryDirectory, textOf } from '../hosting.ts'
import { skillsOf } from '../skill-tools.ts'
import { snapshotStore } from '../snapshot-store.ts'
import { bwrapMissing, skipBwrap } from './bwrap-here.ts'

const adapters = [
  ['virtual', 'virtual', false],
  [`bubblewrap${bwrapMissing}`, 'bubblewrap', skipBwrap],
] as const

const secret = 'tok-4711-very-secret'
const known = {
  csv: { files: { 'data.csv': 'a,b\n' } },
  erp: { files: {}, secrets: { ERP_TOKEN: 'SHOP_ERP_TOKEN' } },
  pdf: { files: { 'scripts/total.sh': '#!/bin/bash\nawk \'{ s += $1 } END { print s }\' "$1"\n' } },
}

describe.each(adapters)('skills in commands over %s', (_name, use, skip) => {
  const open = async (env: Readonly<Record<string, string>> = { SHOP_ERP_TOKEN: secret }) => {
    const directory = await temporaryDirectory()
    // Run by root, commands are of another user, who must be able to enter.
    await chmod(directory, 0o755)
    const host = hostFor({ snapshots: true, sandbox: { use, directory }, env })
    const store = snapshotStore()
    const events: FileEvent[] = []
    const outcome = async (command: string, skills: CallSkills | undefined) => {
      const notes: string[] = []
      const ran = await callTool(host, 'bash', {
        args: { command },
        files: store.files(events),
        progress: (note) => notes.push(note),
        ...(skills ? { skills } : {}),
      })
      if (ran.status === 'completed' && ran.files)
        events.push(store.keep(`e${events.length}`, ran.files))
      return { ran, notes }
    }
    const bash = async (command: string, loaded: readonly string[] = ['pdf']) =>
      textOf(outputOf((await outcome(command, skillsOf(known, loaded))).ran))
    return { host, directory, outcome, bash }
  }

  it.skipIf(skip)('a command finds the files of loaded skills, and those of no other', async () => {
    const { bash } = await open()
    expect(await bash('printf "3\\n4\\n" > n; bash skills/pdf/scripts/total.sh n')).toBe('7')
    expect(await bash('./skills/pdf/scripts/total.sh n; ls; ls skills')).toBe('7\nn\nskills\npdf')
    expect(await bash('cat skills/csv/data.csv; ls skills', ['csv'])).toBe('a,b\ncsv')
    expect(await bash('ls skills', [])).toBe('(no output)')
    expect(await bash('cat skills/csv/data.csv')).toContain('exit code 1')
    expect(await bash('ls skills', ['csv', 'pdf'])).toBe('csv\npdf')
  })

  it.skipIf(skip)('changes nothing of them, and keeps nothing beside them', async () => {
    const { outcome, bash } = await open()
    for (const script of [
      'cp n skills/pdf/scripts/n',
      'rm skills/pdf/SKILL.md',
      'mkdir skills/new',
      'mv skills other',
      'touch skills/x',
    ]) {
      const { ran } = await outcome(`echo 1 > n; ${script}`, skillsOf(known, ['pdf']))
      expect(textOf(outputOf(ran))).toContain('exit code')
      const kept = ran.status === 'completed' ? (ran.files ?? []) : []
      expect(kept.map(({ path }) => path).filter((path) => path !== 'n')).toEqual([])
    }
    expect(await bash('cat skills/pdf/SKILL.md; ls')).toContain('How to pdf.')
    // A redirection is refused as well: `virtual` ends the script by it.
    const { ran } = await outcome('echo x > skills/pdf/SKILL.md; exit 1', skillsOf(known, ['pdf']))
    expect(textOf(outputOf(ran))).toMatch(/Read-only file system[^]*exit code 1/)
    expect(await bash('cat skills/pdf/SKILL.md')).toContain('How to pdf.')
    expect(
      await bash('cp -r skills/pdf mine; echo more >> mine/SKILL.md; tail -1 mine/SKILL.md'),
    ).toBe('more')
  })

  it.skipIf(skip)('files of the thread do not stand in their place', async () => {
    const { outcome, bash } = await open()
    await outcome(
      'mkdir -p skills/pdf; echo mine > skills/pdf/SKILL.md; echo x > skills/x',
      undefined,
    )
    expect(await bash('cat skills/pdf/SKILL.md; ls skills')).toMatch(/How to pdf\.\s+pdf$/)
    const { ran } = await outcome('cat skills/pdf/SKILL.md', undefined)
    expect(textOf(outputOf(ran))).toBe('mine')
  })

  it.skipIf(skip)(
    '§19.4 a secret is a variable of commands while its skill is loaded, and no output tells it',
    async () => {
      const { outcome, bash } = await open()
      expect(await bash('echo "[$ERP_TOKEN]"')).toBe('[]')
      expect(await bash('echo "${#ERP_TOKEN}"', ['erp'])).toBe(String(secret.length))
      const { ran, notes } = await outcome(
        'echo "a $ERP_TOKEN"; echo "b $ERP_TOKEN" >&2; sleep 0.6; echo $ERP_TOKEN$ERP_TOKEN; exit 3',
        skillsOf(known, ['erp', 'pdf']),
      )
      expect(textOf(outputOf(ran))).toBe(
        'a [secret]\n[secret][secret]\nstderr:\nb [secret]\nexit code 3',
      )
      expect(JSON.stringify([ran, notes])).not.toContain(secret)
      expect(await bash('env', ['erp'])).not.toContain('SHOP_ERP')
    },
  )

  it.skipIf(skip)(
    'a file that has a secret in it is not kept, nor is any other of the command',
    async () => {
      const { outcome, bash } = await open()
      const { ran } = await outcome(
        'echo ok > b; echo "k=$ERP_TOKEN" > a',
        skillsOf(known, ['erp']),
      )
      expect(outputOf(ran)).toMatchObject({ isError: true })
      expect(textOf(outputOf(ran))).toBe('No file was kept: a has a secret in it.')
      expect(ran).not.toHaveProperty('files')
      const { ran: called } = await outcome('touch "x-$ERP_TOKEN"', skillsOf(known, ['erp']))
      expect(textOf(outputOf(called))).toBe('No file was kept: x-[secret] has a secret in it.')
      expect(JSON.stringify(called)).not.toContain(secret)
      expect(await bash('ls')).toBe('skills')
    },
  )

  it.skipIf(skip)(
    'is not executed without the files or the secrets that it is to have',
    async () => {
      const { outcome } = await open({})
      const { ran } = await outcome('echo x > a', skillsOf(known, ['erp']))
      expect(errorOf(ran)).toEqual({
        code: 'secret_missing',
        message: 'The secret ERP_TOKEN of a loaded skill is not there. Nothing was executed.',
      })
      const gone = await outcome('echo x', {
        ...skillsOf(known, ['pdf']),
        bundle: async () => null,
      })
      expect(errorOf(gone.ran)).toMatchObject({ code: 'skill_gone' })
    },
  )

  it.skipIf(skip)('leaves nothing on the disk when the host is closed', async () => {
    const { host, directory, bash } = await open()
    await Promise.all([bash('ls skills'), bash('ls skills', ['csv']), bash('ls skills')])
    expect(readdirSync(directory).some((name) => name.startsWith('signalbox-skills-'))).toBe(true)
    await host.close()
    const left = existsSync(directory) ? readdirSync(directory) : []
    expect(left.filter((name) => name.startsWith('signalbox-skills-'))).toEqual([])
  })
})
