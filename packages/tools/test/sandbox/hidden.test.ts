/** The parts of `/usr` that a sandbox does not show, and the options that hide it. */
import { existsSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { bwrapCommand } from '../../src/sandbox/bubblewrap/argv.ts'
import { hiddenBelowUsr } from '../../src/sandbox/bubblewrap/hidden.ts'
import { contractLimits } from '@signalbox/testing/contract'

describe.skipIf(!existsSync('/usr/bin'))('what a sandbox does not show of /usr', () => {
  it('is sources, configuration, and what the caller names below it', () => {
    const hidden = hiddenBelowUsr(['/usr/share/doc', '/tmp', '/usr/nowhere'])
    expect(hidden).toContain('/usr/share/doc')
    const places = ['/usr/src', '/usr/local/etc'].filter((place) => existsSync(place))
    expect(hidden).toEqual(expect.arrayContaining(places))
    expect(hidden.every((path) => path.startsWith('/usr/'))).toBe(true)
    expect(hidden).not.toContain('/usr/nowhere')
  })

  it('never holds programs or libraries', () => {
    expect(hiddenBelowUsr(['/usr', '/usr/bin', '/usr/lib', '/usr/local', '/usr/share'])).toEqual(
      hiddenBelowUsr([]),
    )
    expect(hiddenBelowUsr(['/usr/share/doc'], ['/usr/share/doc/bin'])).not.toContain(
      '/usr/share/doc',
    )
  })

  it('is named once, by what is above', () => {
    if (!existsSync('/usr/share/doc/bash')) return
    expect(hiddenBelowUsr(['/usr/share/doc/bash', '/usr/share/doc'])).not.toContain(
      '/usr/share/doc/bash',
    )
  })

  it('lies under an empty directory that nobody can write to', () => {
    const { options } = bwrapCommand(
      {
        mark: 'a mark',
        tree: '/tree',
        mounts: [],
        hidden: ['/usr/src'],
        limits: contractLimits,
        env: {},
        cwd: '.',
        script: ':',
        hasSeccomp: true,
        groups: 0,
        more: [],
        before: [],
      },
      null,
    )
    const text = options.join(' ')
    expect(text).toContain('--perms 0555 --size 4096 --tmpfs /usr/src')
    expect(text.indexOf('--tmpfs /usr/src')).toBeGreaterThan(text.indexOf('--ro-bind /usr /usr'))
    expect(text).toContain('--remount-ro /usr/src')
  })
})
