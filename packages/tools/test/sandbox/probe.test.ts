/** The words of the probe where bubblewrap does not work: each machine with its words, as bwrap says them there. */
import { describe, expect, it } from 'vitest'
import {
  explain,
  type HostFacts,
  hostFacts,
  missingFor,
  works,
} from '../../src/sandbox/bubblewrap/probe.ts'

const healthy: HostFacts = {
  platform: 'linux',
  arch: 'x64',
  isRoot: true,
  isContainer: false,
  missing: [],
  apparmorRestricts: false,
  switchedOff: null,
}

const sayings = (facts: Partial<HostFacts>, hasGroups = false) =>
  works({ ...healthy, ...facts }, { version: '0.8.0', hasGroups }).findings.map(
    ({ status, message }) => [status, message],
  )

describe('the probe of bubblewrap', () => {
  it('§18.19 says what is not installed, and what to type', () => {
    expect(missingFor(healthy)).toBeNull()
    expect(missingFor({ ...healthy, missing: ['bwrap'] })).toEqual({
      status: 'fail',
      message: 'bubblewrap: bwrap is not installed',
      fix: 'apt-get install bubblewrap',
    })
    expect(missingFor({ ...healthy, missing: ['bwrap', 'setpriv', 'mkfifo'] })).toMatchObject({
      message: 'bubblewrap: bwrap, setpriv, mkfifo are not installed',
      fix: 'apt-get install bubblewrap util-linux coreutils',
    })
    expect(missingFor({ ...healthy, platform: 'darwin' })?.message).toContain('needs Linux')
  })

  it.each<readonly [string, string, Partial<HostFacts>, RegExp]>([
    [
      'Ubuntu 24.04',
      'bwrap: loopback: Failed RTM_NEWADDR: Operation not permitted',
      { apparmorRestricts: true },
      /bwrap-userns-restrict/,
    ],
    [
      'Docker with its default seccomp',
      'bwrap: Creating new namespace failed: Operation not permitted',
      { isContainer: true },
      /seccomp=unconfined and systempaths=unconfined/,
    ],
    [
      'a container with a masked /proc',
      "bwrap: Can't mount proc on /newroot/proc: Operation not permitted",
      { isContainer: true },
      /systempaths=unconfined/,
    ],
    [
      'a kernel without user namespaces for users',
      'bwrap: No permissions to create a new namespace',
      { switchedOff: 'kernel.unprivileged_userns_clone' },
      /sysctl -w kernel\.unprivileged_userns_clone=1/,
    ],
    [
      'a limit of no namespaces',
      'bwrap: Creating new namespace failed: No space left on device',
      { switchedOff: 'user.max_user_namespaces' },
      /sysctl -w user\.max_user_namespaces=15000/,
    ],
    [
      'a hardened unit of systemd',
      'bwrap: Creating new namespace failed: Operation not permitted',
      {},
      /RestrictNamespaces=no/,
    ],
    [
      'a directory that users may not enter',
      "bwrap: Can't find source path /root/x: Permission denied",
      {},
      /sandbox\.directory/,
    ],
    [
      'such a directory in a container',
      "bwrap: Can't find source path /root/x: Permission denied",
      { isContainer: true },
      /sandbox\.directory/,
    ],
    ['something else', 'bwrap: strange', {}, /Run it by hand/],
  ])('§18.19 %s: names the remedy', (_where, said, facts, fix) => {
    const finding = explain(said, { ...healthy, ...facts })
    expect(finding).toMatchObject({ status: 'fail', message: `bubblewrap: ${said}` })
    expect(finding.fix).toMatch(fix)
  })

  it('says what works, and what is weaker than it could be', () => {
    expect(sayings({}, true)).toEqual([['ok', 'bubblewrap 0.8.0 runs commands']])
    expect(sayings({})[0]).toEqual(['ok', 'bubblewrap 0.8.0 runs commands'])
    expect(sayings({}).flat().join(' ')).toContain('memory is bounded for each process')
    expect(sayings({ isRoot: false }).flat().join(' ')).toContain('as the user of this worker')
    expect(sayings({ arch: 'ppc64' }).flat().join(' ')).toContain('no filter of system calls')
  })

  it('looks at this machine', () => {
    expect(hostFacts()).toMatchObject({ platform: process.platform, arch: process.arch })
  })
})
